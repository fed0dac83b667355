import { afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../../tests/support/until.ts';
import { createLog } from '../lib/log.ts';
import { lastStarted, startLasting } from '../process/lasting-files.ts';
import { isAlive, markProcess } from '../process/process-mark.ts';
import { restartDelay } from '../process/supervisor.ts';
import { shippedTiming } from '../shipped-timing.ts';
import { engineEnvironment, engineFiles } from './engine-command.ts';
import { createMediaPort } from './port.ts';
import {
  cleanUp,
  cleanups,
  desired,
  engineCommand,
  folder,
  isRunning,
  leaveEngine,
  openPort,
  received,
  socketExists,
} from './port-rig-for-test.ts';

setDefaultTimeout(30_000);

afterEach(cleanUp);

test('an engine killed with -9 is replaced, and the next one has the desired state', async () => {
  const { port } = openPort(folder());
  port.apply(desired);
  await until(() => port.status().applied);
  const { pid } = port.status();
  expect(port.status().replaced).toBeUndefined();
  process.kill(pid, 'SIGKILL');
  await until(() => port.status().pid !== pid && port.status().applied);
  expect(port.status().replaced).toMatchObject({ cause: 'ended' });
});

test('an engine whose connection broke is reconnected, and not mistaken for another one', async () => {
  const { port, lines } = openPort(folder(), 'garbled', { firstBackoffMs: 20 });
  const connected = () => lines.filter((line) => line.includes('media engine connected'));
  await until(() => connected().length > 2);
  expect(new Set(connected().map((line) => /pid=\d+/.exec(line)?.[0])).size).toBe(1);
  expect(port.status().replaced).toBeUndefined();
});

test('a running engine is adopted, not started again', async () => {
  const dataDir = folder();
  const left = leaveEngine(dataDir);
  await socketExists(dataDir);
  const { port } = openPort(dataDir);
  port.apply(desired);
  await until(() => port.status().applied);
  expect(port.status().pid).toBe(left.pid!);
});

test('an adopted engine that is killed is replaced', async () => {
  const dataDir = folder();
  const left = leaveEngine(dataDir);
  await socketExists(dataDir);
  const { port } = openPort(dataDir);
  await isRunning(port);
  left.kill('SIGKILL');
  await until(() => port.status().engine === 'running' && port.status().pid !== left.pid);
});

test('an engine of another version is stopped and replaced', async () => {
  const dataDir = folder();
  const left = leaveEngine(dataDir, 'old');
  await socketExists(dataDir);
  const { port } = openPort(dataDir);
  port.apply(desired);
  await until(() => port.status().applied);
  expect(port.status().pid).not.toBe(left.pid!);
  const toOld = received(dataDir).filter((line) => line.pid === left.pid);
  expect(toOld.map((line) => line.type)).toEqual(['stop']);
});

test.each([
  ['another', 'old'],
  ['the same', 'good'],
] as const)(
  'an engine of %s version that starts to listen while ours starts is stopped, and ours is not',
  async (_, manner) => {
    const dataDir = folder();
    const [program = '', ...args] = engineCommand(dataDir, manner);
    const left = spawn(program, [...args, '--listen-after', '400'], { stdio: 'ignore' });
    cleanups.push(() => void left.kill('SIGKILL'));
    const port = createMediaPort({
      dataDir,
      ffmpeg: 'ffmpeg',
      log: createLog('error', () => {}),
      command: [...engineCommand(dataDir), '--listen-after', '1500'],
      timing: {},
    });
    cleanups.push(() => port.close('end of the test'));
    port.start();
    port.apply(desired);
    await until(() => port.status().applied);
    const lines = received(dataDir);
    expect(lines.filter(({ pid }) => pid === left.pid).map(({ type }) => type)).toEqual(['stop']);
    // Not one that was stopped and one after it.
    expect([...new Set(lines.map(({ pid }) => pid))].toSorted()).toEqual([left.pid!, port.status().pid].toSorted());
    expect(port.status().pid).not.toBe(left.pid!);
  },
);

test('a hanging engine of an earlier hub is killed and replaced', async () => {
  const dataDir = folder();
  // Without a hub, which would start another one in its place.
  const { pid = 0 } = startLasting(engineFiles(dataDir), engineCommand(dataDir, 'mute'), engineEnvironment());
  const mute = markProcess(pid)!;
  await socketExists(dataDir);
  const { port } = openPort(dataDir, 'good', { helloMs: 100, stopMs: 100 });
  await isRunning(port);
  expect(isAlive(mute)).toBe(false);
  expect(port.status().replaced).toMatchObject({ cause: 'hung' });
});

test('an engine that stops responding is killed and restarted', async () => {
  const { port, lines } = openPort(folder(), 'frozen', { silenceCheckMs: 30 });
  await isRunning(port);
  const { pid } = port.status();
  await until(() => port.status().engine === 'running' && port.status().pid !== pid);
  expect(lines.some((line) => line.includes('hangs and is killed'))).toBe(true);
  expect(port.status().replaced).toMatchObject({ cause: 'hung' });
});

test('an engine that ends at once is restarted more and more slowly, and the reason is reported', async () => {
  const { port, lines } = openPort(folder(), 'broken', { firstBackoffMs: 20 });
  const attempts = () => lines.filter((line) => line.includes('media engine is down'));
  await until(() => attempts().length >= 4);
  expect(port.status().engine).toBe('down');
  expect(port.status().reason).toContain('code 3');
  expect(
    attempts()
      .map((line) => Number(/retry-in-ms=(\d+)/.exec(line)?.[1]))
      .slice(0, 4),
  ).toEqual([0, 20, 40, 80]);
});

test('a program that cannot be started is reported as a reason, not a crash', async () => {
  const dataDir = folder();
  const port = createMediaPort({
    dataDir,
    ffmpeg: 'ffmpeg',
    log: createLog('error', () => {}),
    command: [join(dataDir, 'nothing-here')],
  });
  cleanups.push(() => port.close('end of the test'));
  port.start();
  await until(() => port.status().engine === 'down');
  expect(port.status().reason).toContain('could not be started');
});

test('closing stops the engine and starts no other', async () => {
  const dataDir = folder();
  const { port } = openPort(dataDir);
  await isRunning(port);
  const engine = markProcess(port.status().pid)!;
  await port.close('the hub is shutting down');
  expect(isAlive(engine)).toBe(false);
  expect(received(dataDir).at(-1)).toMatchObject({ type: 'stop', reason: 'the hub is shutting down' });
});

test('closing kills an engine that does not stop', async () => {
  const { port } = openPort(folder(), 'stubborn', { stopMs: 100 });
  await isRunning(port);
  const engine = markProcess(port.status().pid)!;
  await port.close('the hub is shutting down');
  expect(isAlive(engine)).toBe(false);
});

test('closing ends an engine whose connection is broken', async () => {
  const dataDir = folder();
  const { port } = openPort(dataDir, 'garbled', { firstBackoffMs: 10_000 });
  await until(() => port.status().engine === 'down');
  const engine = lastStarted(engineFiles(dataDir))!;
  expect(isAlive(engine)).toBe(true);
  await port.close('the hub is shutting down');
  expect(isAlive(engine)).toBe(false);
});

test('closing while the engine starts leaves none behind', async () => {
  const dataDir = folder();
  const { port } = openPort(dataDir);
  await until(() => existsSync(join(dataDir, 'run/engine.pid')));
  const mark = markProcess(Number(readFileSync(join(dataDir, 'run/engine.pid'), 'utf8').split(' ')[0]));
  await port.close('the hub is shutting down');
  expect(mark && isAlive(mark)).toBeFalsy();
});

test('the log file of the engine is rotated when it is large', async () => {
  const dataDir = folder();
  const { port } = openPort(dataDir);
  await isRunning(port);
  const file = join(dataDir, 'log/engine.log');
  truncateSync(file, 6 * 1024 * 1024);
  const { pid } = port.status();
  process.kill(pid, 'SIGKILL');
  await until(() => port.status().engine === 'running' && port.status().pid !== pid);
  expect(statSync(`${file}.1`).size).toBe(6 * 1024 * 1024);
  expect(statSync(file).size).toBe(0);
});

test('restart delays: none, then half a second, doubling to thirty', () => {
  const delays = [1, 2, 3, 4, 8, 9, 40].map((failures) => restartDelay(failures, shippedTiming.supervisor));
  expect(delays).toEqual([0, 500, 1000, 2000, 30_000, 30_000, 30_000]);
});

test('an engine that ends five times within a minute is failing', async () => {
  const { port } = openPort(folder(), 'broken', { firstBackoffMs: 10 });
  await until(() => port.status().isFailing);
  expect(port.status().engine).toBe('down');
});

test('a running engine is restarted by hand, and the next one has the desired state', async () => {
  const { port } = openPort(folder());
  port.apply(desired);
  await until(() => port.status().applied);
  const { pid } = port.status();
  port.restart('by hand');
  await until(() => port.status().pid !== pid && port.status().applied);
  // It was not lost, which would be an alarm.
  expect(port.status().replaced).toBeUndefined();
});
