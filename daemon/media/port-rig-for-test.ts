/** Ports with the engine double of tests/sim, for the tests of the port and of the engine's supervision. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Manner } from '../../tests/sim/engine-double.ts';
import { privateAllowed } from '../../tests/support/outgoing.ts';
import { until } from '../../tests/support/until.ts';
import { createLog } from '../lib/log.ts';
import type { SupervisorTiming } from '../process/supervisor.ts';
import { createMediaPort, type MediaPort } from './port.ts';
import type { DesiredChannel, DesiredState } from './protocol/desired.ts';

const double = resolve(import.meta.dir, '../../tests/sim/engine-double.ts');
export const cleanups: (() => void | Promise<void>)[] = [];

/** To be called after each test. */
export async function cleanUp(): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
}

export function folder(): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'signalbox-port-'));
  cleanups.push(() => rmSync(dataDir, { recursive: true, force: true }));
  return dataDir;
}

export function engineCommand(dataDir: string, manner: Manner = 'good'): string[] {
  return [process.execPath, double, '--data-dir', dataDir, '--manner', manner];
}

export function openPort(
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
export function leaveEngine(dataDir: string, manner: Manner = 'good'): ChildProcess {
  const [program = '', ...args] = engineCommand(dataDir, manner);
  const child = spawn(program, args, { stdio: 'ignore' });
  cleanups.push(() => void child.kill('SIGKILL'));
  return child;
}

export const isRunning = (port: MediaPort) => until(() => port.status().engine === 'running');
export const socketExists = (dataDir: string) => until(() => existsSync(join(dataDir, 'run/engine.sock')));

type Received = { pid: number; type: string; state?: DesiredState };
export function received(dataDir: string): Received[] {
  const path = join(dataDir, 'received.jsonl');
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Received);
}

export const channel: DesiredChannel = {
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
export const desired = {
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
