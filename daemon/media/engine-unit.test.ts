import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../../tests/support/until.ts';
import { startLasting } from '../process/lasting-files.ts';
import { isAlive, markProcess, signal } from '../process/process-mark.ts';
import type { SupervisorTiming } from '../process/supervisor.ts';
import { engineEnvironment, engineFiles } from './engine-command.ts';
import {
  cleanUp,
  cleanups,
  desired,
  engineCommand,
  folder,
  isRunning,
  leaveEngine,
  openPort,
} from './port-rig-for-test.ts';

setDefaultTimeout(30_000);

afterEach(cleanUp);

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
    await port.close('the hub is shutting down');
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
    await port.close('the hub is shutting down');
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
