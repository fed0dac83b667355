/** The NDI router in a process of its own on a library, with a peer on the same network. */
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createLog } from '../../../daemon/lib/log.ts';
import type { NdiDesired, NdiDesiredOutput, NdiOutputState } from '../../../daemon/ndi/port.ts';
import { NdiRouter } from '../../../daemon/ndi/router.ts';
import type { Timing } from '../../../daemon/timing.ts';
import { mainProgram } from '../../support/main-program.ts';
import { addLog, untilSeen } from '../../support/until.ts';
import { type Peer, startPeer } from './peer.ts';

/** Faults of the double, as its source describes them. */
export type DoubleFault =
  | `${string}:${'null' | 'hang' | 'crash' | 'abort' | 'exit' | 'thread'}`
  | `${string}:${string}:${number}`;

export interface RigOptions {
  readonly library: string;
  /** Of the router's process alone. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Whether the process is started as in the product, with its rights only. It is then alone on its network. */
  readonly isConfined?: boolean;
  readonly timing?: Partial<Timing['ndi'] & Timing['ndiThumbnails']>;
}

/** A file in the place of the socket of avahi-daemon. */
export const avahiSocket = (dataDir: string): string => join(dataDir, 'avahi');

export type RouterRig = Awaited<ReturnType<typeof openRouterRig>>;

export async function openRouterRig({ library, environment = {}, isConfined = false, timing = {} }: RigOptions) {
  const dataDir = mkdtempSync(join(tmpdir(), 'sb-ndi-'));
  const networkFile = join(dataDir, 'network');
  const network = isConfined ? {} : { NDI_DOUBLE_NETWORK: networkFile };
  const lines: string[] = [];
  const forget = addLog('hub', () => lines.join('\n'));
  const router = new NdiRouter({
    dataDir,
    log: createLog('debug', (line) => void lines.push(line)).in('ndi'),
    // A process that hangs is killed within a second.
    timing: { silenceCheckMs: 250, createAgainMs: 500, ...timing },
    search: { env: { NDI_RUNTIME_DIR_V6: dirname(library) }, folders: [] },
    ...(!isConfined && {
      command: (role: string, path: string) => [process.execPath, mainProgram, role, '--library', path],
    }),
    environment: { ...network, ...environment },
    avahiSocket: avahiSocket(dataDir),
  });
  const peers: Peer[] = [];
  /** Of the newest process. */
  const pid = () => Number(lines.findLast((line) => line.includes('connected pid='))?.match(/pid=(\d+)/)?.[1]);
  return {
    router,
    dataDir,
    lines,
    async peer(): Promise<Peer> {
      const peer = await startPeer(library, { ...network, HOME: dataDir });
      peers.push(peer);
      return peer;
    },
    /** The next process that makes this call has the fault, once. */
    fault(fault: DoubleFault): void {
      const file = openSync(networkFile, 'r+');
      writeSync(file, `${fault}\0`, 0);
      closeSync(file);
    },
    hasFaultHappened(): boolean {
      const [file, first] = [openSync(networkFile, 'r'), Buffer.alloc(1)];
      readSync(file, first, 0, 1, 0);
      closeSync(file);
      return first[0] === 0;
    },
    pid,
    /** Ends the newest process, or stops it. */
    kill: (signal: 'SIGKILL' | 'SIGSTOP' = 'SIGKILL') => process.kill(pid(), signal),
    away: () => untilSeen(router.runtime.bind(router), ({ state }) => state !== 'running'),
    running: () => untilSeen(router.runtime.bind(router), ({ state }) => state === 'running'),
    outputs: (fits: (outputs: readonly NdiOutputState[]) => boolean) => untilSeen(() => router.outputs(), fits),
    sourceNames: (fits: (names: readonly string[]) => boolean) =>
      untilSeen(() => router.sources().map(({ name }) => name), fits),
    async end(): Promise<void> {
      await router.close();
      await Promise.all(peers.map((peer) => peer.end()));
      forget();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

export const desiredOf = (outputs: readonly NdiDesiredOutput[], change: Partial<NdiDesired> = {}): NdiDesired => ({
  baseName: 'SBTEST',
  groups: { send: '', receive: '' },
  discovery: { servers: '', extraIps: '' },
  outputs,
  ...change,
});

export const output = (id: number, source: string | null = null, name = `Out ${id}`, group = ''): NdiDesiredOutput => ({
  ...{ id, name, group, source },
});
