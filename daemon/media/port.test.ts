import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Manner } from '../../tests/sim/engine-double.ts';
import { privateAllowed } from '../../tests/support/outgoing.ts';
import { until } from '../../tests/support/until.ts';
import { createLog } from '../lib/log.ts';
import { lastStarted, startLasting } from '../process/lasting-files.ts';
import { isAlive, markProcess, signal } from '../process/process-mark.ts';
import { restartDelay, type SupervisorTiming } from '../process/supervisor.ts';
import { shippedTiming } from '../shipped-timing.ts';
import { engineEnvironment, engineFiles } from './engine-command.ts';
import { createMediaPort, listenersAreKnown, type MediaPort } from './port.ts';
import type { DesiredChannel, DesiredState } from './protocol/desired.ts';
import type { EnginePart } from './protocol/reported.ts';

setDefaultTimeout(30_000);

const double = resolve(import.meta.dir, '../../tests/sim/engine-double.ts');
const cleanups: (() => void | Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function folder(): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'signalbox-port-'));
  cleanups.push(() => rmSync(dataDir, { recursive: true, force: true }));
  return dataDir;
}

function engineCommand(dataDir: string, manner: Manner = 'good'): string[] {
  return [process.execPath, double, '--data-dir', dataDir, '--manner', manner];
}

function openPort(
  dataDir: string,
  manner: Manner = 'good',
  timing: Partial<SupervisorTiming> = {},
  startsEngine = true,
) {
  const lines: string[] = [];
  const port = createMediaPort({
    dataDir,
    ffmpeg: 'ffmpeg',
    log: createLog('debug', (line) => lines.push(line)),
    command: engineCommand(dataDir, manner),
    startsEngine,
    timing,
  });
  cleanups.push(() => port.close('end of the test'));
  port.start();
  return { port, lines };
}

/** An engine that an earlier hub left running. */
function leaveEngine(dataDir: string, manner: Manner = 'good'): ChildProcess {
  const [program = '', ...args] = engineCommand(dataDir, manner);
  const child = spawn(program, args, { stdio: 'ignore' });
  cleanups.push(() => void child.kill('SIGKILL'));
  return child;
}

const isRunning = (port: MediaPort) => until(() => port.status().engine === 'running');
const socketExists = (dataDir: string) => until(() => existsSync(join(dataDir, 'run/engine.sock')));

type Received = { pid: number; type: string; state?: DesiredState };
function received(dataDir: string): Received[] {
  const path = join(dataDir, 'received.jsonl');
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Received);
}

const channel: DesiredChannel = {
  id: 7,
  name: 'Studio',
  enabled: true,
  pushKey: 'push',
  playKey: 'play',
  allow: { rtmp: true, srt: true },
  takeover: false,
  inputId: 0,
  input: { protocol: 'push' },
  outputs: [],
};
const desired = {
  settings: {
    bind: '127.0.0.1',
    rtmpPort: 1,
    trustedProxies: [],
    hlsPort: 3,
    srt: { port: 2, latencyMs: 120, keyLength: 0, passphrase: '' },
    outgoing: privateAllowed,
  },
  channels: [channel],
};

test('a missing part that the engine reported before the hub listened is in the log of the hub', async () => {
  const { port, lines } = openPort(folder(), 'crippled');
  await isRunning(port);
  expect(port.status().parts.map(({ ok }) => ok)).toEqual([true, false]);
  expect(lines.filter((line) => line.includes('error media: FFmpeg was not found'))).toHaveLength(1);
});

test('a started engine gets the desired state, and its status is reported', async () => {
  const { port } = openPort(folder());
  expect(port.status().engine).toBe('starting');
  port.apply(desired);
  await until(() => port.status().applied);
  expect(port.status().engine).toBe('running');
  expect([...port.status().channels.keys()]).toEqual([7]);
  expect(port.status().parts).toEqual([{ name: 'rtmp', ok: true, port: 1935 }]);
  port.apply({ ...desired, channels: [] });
  expect(port.status().applied).toBe(false);
  await until(() => port.status().applied);
  expect(port.status().channels.size).toBe(0);
});

test('with port 0, the next engine opens the same port as the one before', async () => {
  const dataDir = folder();
  const { port } = openPort(dataDir);
  const anyPorts = { ...desired.settings, rtmpPort: 0, hlsPort: 0 };
  port.apply({ ...desired, settings: anyPorts });
  await until(() => port.status().applied);
  const { pid } = port.status();
  process.kill(pid, 'SIGKILL');
  await until(() => port.status().pid !== pid && port.status().applied);
  expect(port.ports()).toEqual({ rtmp: 1935, srt: 0, hls: 0 });
  const sent = received(dataDir).findLast((line) => line.type === 'desired')?.state?.settings;
  expect(sent).toEqual({ ...anyPorts, rtmpPort: 1935 });
});

test('an unchanged state is not sent again', async () => {
  const dataDir = folder();
  const { port } = openPort(dataDir);
  port.apply(desired);
  await until(() => port.status().applied);
  port.apply(structuredClone(desired));
  expect(port.status().applied).toBe(true);
  await port.request({ what: 'history', channelId: 7 }, 1000);
  expect(received(dataDir).map((line) => line.type)).toEqual(['desired', 'request']);
});

test('subscribers get changes until they leave', async () => {
  const { port } = openPort(folder());
  let calls = 0;
  const leave = port.onChange(() => calls++);
  await isRunning(port);
  expect(calls).toBeGreaterThan(0);
  leave();
  calls = 0;
  port.apply(desired);
  await until(() => port.status().applied);
  expect(calls).toBe(0);
});

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

test('the listeners are settled once each is open or has failed, or when there is no engine', () => {
  const open = (name: EnginePart['name']): EnginePart => ({ name, ok: true, port: 1 });
  const parts = [open('rtmp'), open('ffmpeg'), open('srt')];
  const failed: EnginePart = { name: 'hls', ok: false, reason: 'portOccupied' };
  expect(listenersAreKnown({ engine: 'running', parts })).toBe(false);
  expect(listenersAreKnown({ engine: 'running', parts: [...parts, failed] })).toBe(true);
  expect(listenersAreKnown({ engine: 'starting', parts: [] })).toBe(false);
  expect(listenersAreKnown({ engine: 'down', parts: [] })).toBe(true);
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

test('the state that an adopted engine still has from another hub does not count as applied', async () => {
  const dataDir = folder();
  leaveEngine(dataDir);
  await socketExists(dataDir);
  const first = openPort(dataDir).port;
  first.apply(desired);
  await until(() => first.status().applied);
  const second = openPort(dataDir).port;
  await until(() => second.status().channels.size === 1);
  expect(second.status().applied).toBe(false);
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

test('an engine that breaks the protocol is disconnected, and its channels are forgotten', async () => {
  const { port, lines } = openPort(folder(), 'garbled', { firstBackoffMs: 10_000 });
  await until(() => port.status().engine === 'down');
  expect(lines.some((line) => line.includes('a line that is no JSON'))).toBe(true);
  expect(port.status().channels.size).toBe(0);
});

test('a request is answered, one without an answer times out', async () => {
  const { port } = openPort(folder());
  await isRunning(port);
  expect(await port.request({ what: 'history', channelId: 7 }, 1000)).toMatchObject({
    what: 'history',
    history: { in: [null, 1000], out: [null, 2000] },
  });
  const never = port.request({ what: 'disconnect', channelId: 7, clientId: 1 }, 30);
  await expect(never).rejects.toMatchObject({ kind: 'timeout' });
});

test('requests are refused while the engine is down or too many wait, and fail when it dies', async () => {
  const { port } = openPort(folder());
  await expect(port.request({ what: 'history', channelId: 1 }, 1000)).rejects.toMatchObject({ kind: 'down' });
  await isRunning(port);
  const ask = () => port.request({ what: 'disconnect', channelId: 7, clientId: 1 }, 5000).catch((error) => error.kind);
  const waiting = Array.from({ length: 64 }, ask);
  expect(await ask()).toBe('busy');
  process.kill(port.status().pid, 'SIGKILL');
  expect(await Promise.all(waiting)).toEqual(Array(64).fill('down'));
});

test('an engine that does not read gets only the newest state afterwards, and memory stays bounded', async () => {
  const dataDir = folder();
  const { port } = openPort(dataDir);
  await isRunning(port);
  const { pid } = port.status();
  process.kill(pid, 'SIGSTOP');
  const name = 'x'.repeat(1_000_000);
  for (let id = 1; id <= 50; id++) {
    port.apply({ ...desired, channels: [{ ...channel, id, name }] });
    await delay(1);
  }
  process.kill(pid, 'SIGCONT');
  await until(() => port.status().applied && port.status().channels.has(50));
  const states = received(dataDir).filter((line) => line.type === 'desired');
  expect(states.length).toBeLessThan(5);
});

test('closing stops the engine and starts no other', async () => {
  const dataDir = folder();
  const { port } = openPort(dataDir);
  await isRunning(port);
  const engine = markProcess(port.status().pid)!;
  await port.close('the hub stops');
  expect(isAlive(engine)).toBe(false);
  expect(received(dataDir).at(-1)).toMatchObject({ type: 'stop', reason: 'the hub stops' });
});

test('closing kills an engine that does not stop', async () => {
  const { port } = openPort(folder(), 'stubborn', { stopMs: 100 });
  await isRunning(port);
  const engine = markProcess(port.status().pid)!;
  await port.close('the hub stops');
  expect(isAlive(engine)).toBe(false);
});

test('closing ends an engine whose connection is broken', async () => {
  const dataDir = folder();
  const { port } = openPort(dataDir, 'garbled', { firstBackoffMs: 10_000 });
  await until(() => port.status().engine === 'down');
  const engine = lastStarted(engineFiles(dataDir))!;
  expect(isAlive(engine)).toBe(true);
  await port.close('the hub stops');
  expect(isAlive(engine)).toBe(false);
});

test('closing while the engine starts leaves none behind', async () => {
  const dataDir = folder();
  const { port } = openPort(dataDir);
  await until(() => existsSync(join(dataDir, 'run/engine.pid')));
  const mark = markProcess(Number(readFileSync(join(dataDir, 'run/engine.pid'), 'utf8').split(' ')[0]));
  await port.close('the hub stops');
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

describe('an engine with a unit of its own', () => {
  const openUnitPort = (dataDir: string, timing: Partial<SupervisorTiming> = {}) =>
    openPort(dataDir, 'good', { startMs: 200, firstBackoffMs: 20, ...timing }, false);

  test('is not started by the hub, which connects once it runs and gives it the desired state', async () => {
    const dataDir = folder();
    const { port } = openUnitPort(dataDir);
    port.apply(desired);
    await until(() => port.status().engine === 'down');
    expect(port.status().reason).toBe('it did not start in time; its unit starts it');
    expect(port.restart('by hand')).toBe(false);
    const child = leaveEngine(dataDir);
    await until(() => port.status().applied);
    expect(port.status().pid).toBe(child.pid ?? 0);
    expect(port.restart('by hand')).toBe(true);
  });

  test('finds a hub that tries to connect all the time, however long the engine was away', async () => {
    const { lines } = openUnitPort(folder(), { startMs: 20 });
    // With growing delays, twelve attempts would take 20 s.
    await until(() => lines.filter((line) => line.includes('is down')).length >= 12);
  });

  test('continues when the hub stops, and the next hub takes it over', async () => {
    const dataDir = folder();
    const child = leaveEngine(dataDir);
    const { port } = openUnitPort(dataDir);
    await isRunning(port);
    await port.close('the hub stops');
    expect(child.exitCode).toBeNull();
    const { port: next } = openUnitPort(dataDir);
    await isRunning(next);
    expect(next.status().pid).toBe(child.pid ?? 0);
  });

  test('finds the folder and the file of its log, which belong to the hub', async () => {
    const dataDir = folder();
    openUnitPort(dataDir);
    const path = join(dataDir, 'log/engine.log');
    await until(() => existsSync(path));
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('is left running by a hub that stops while it starts', async () => {
    const dataDir = folder();
    const command = [...engineCommand(dataDir), '--listen-after', '60000'];
    const child = startLasting(engineFiles(dataDir), command, engineEnvironment());
    cleanups.push(() => void child.kill('SIGKILL'));
    const { port } = openUnitPort(dataDir, { startMs: 60_000, stopMs: 50 });
    await port.close('the hub stops');
    expect(markProcess(child.pid ?? 0)).toBeDefined();
  });

  test('is ended if it hangs before its first hello, also in place of one that the hub knew', async () => {
    const dataDir = folder();
    const first = leaveEngine(dataDir);
    const { port } = openUnitPort(dataDir, { helloMs: 100, stopMs: 100, firstBackoffMs: 500 });
    await until(() => port.status().pid === first.pid);
    first.kill('SIGKILL');
    // The next one listens before the hub looks again.
    await until(() => port.status().engine === 'down');
    const { pid = 0 } = startLasting(engineFiles(dataDir), engineCommand(dataDir, 'mute'), engineEnvironment());
    const mute = markProcess(pid)!;
    cleanups.push(() => signal(mute, 'SIGKILL'));
    await until(() => !isAlive(mute));
  });

  test('is ended if it hangs or has another version, so that the system starts it again', async () => {
    const dataDir = folder();
    const old = leaveEngine(dataDir, 'old');
    const { port } = openUnitPort(dataDir, { silenceCheckMs: 500 });
    await until(() => old.exitCode !== null || old.signalCode !== null);
    const child = leaveEngine(dataDir);
    await until(() => port.status().pid === child.pid);
    child.kill('SIGSTOP');
    await until(() => child.signalCode === 'SIGKILL');
  });
});
