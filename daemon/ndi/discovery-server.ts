/**
 * Runs the vendor's discovery server, with which NDI senders register where mDNS does not reach. Users install it, because
 * its license does not permit the hub to ship it.
 */
import { accessSync, constants, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Subprocess } from 'bun';
import { confined, nameResolution } from '../lib/confined.ts';
import type { Log } from '../lib/log.ts';
import { oneAtATime } from '../lib/one-at-a-time.ts';
import { probePort } from '../lib/port-probe.ts';
import { type Child, type ChildLink, Supervisor } from '../process/supervisor.ts';
import { timing as shipped, type Timing } from '../timing.ts';
import { logLines } from './child-log.ts';

export interface DiscoveryServerSettings {
  readonly enabled: boolean;
  readonly port: number;
}

export type DiscoveryServerState =
  | { readonly state: 'disabled' }
  | { readonly state: 'starting' }
  | { readonly state: 'started' }
  | { readonly state: 'waiting'; readonly fault: 'notInstalled'; readonly folders: readonly string[] }
  /** It ended or did not open its port. `inMs`: milliseconds from then to the next attempt. */
  | { readonly state: 'waiting'; readonly fault: 'ended'; readonly reason: string; readonly inMs: number };

interface Options {
  readonly dataDir: string;
  readonly log: Log;
  readonly onChange: () => void;
  readonly timing?: Partial<Timing['ndiServer']>;
  readonly folders?: readonly string[];
}

/** The newest first. */
const programs = ['ndi-discovery-server', 'ndi-directory-service'] as const;
export const serverFolders = ['/usr/local/bin', '/usr/bin', '/opt/ndi/bin'] as const;
/** Limit of open files; each client takes one descriptor. */
const files = 4096;

export type DiscoveryServer = ReturnType<typeof createDiscoveryServer>;

export function createDiscoveryServer({ dataDir, log, onChange, folders = serverFolders, ...options }: Options) {
  const times = { ...shipped.ndiServer, ...options.timing };
  const home = resolve(dataDir, 'ndi', 'discovery-server');
  let state: DiscoveryServerState = { state: 'disabled' };
  let supervisor: Supervisor<ServerLink> | undefined;
  let looking: Timer | undefined;
  const inTurn = oneAtATime();

  function become(next: DiscoveryServerState): void {
    if (isDeepStrictEqual(state, next)) return;
    state = next;
    onChange();
  }

  async function stop(): Promise<void> {
    clearTimeout(looking);
    const before = supervisor;
    supervisor = undefined;
    await before?.close('it was switched off');
  }

  function start(port: number): void {
    const path = findProgram(folders);
    if (path === undefined) {
      const isNew = state.state !== 'waiting' || state.fault !== 'notInstalled';
      if (isNew) log.warn('the NDI discovery server is not installed', { folders: folders.join(' ') });
      looking = setTimeout(() => start(port), times.lookMs);
      become({ state: 'waiting', fault: 'notInstalled', folders });
      return;
    }
    const tell = (next: DiscoveryServerState) => {
      if (supervisor === own) become(next);
    };
    const spawn = () => {
      tell({ state: 'starting' });
      return spawnServer(path, port, home, log);
    };
    const own = new Supervisor<ServerLink>({
      ...{ name: 'NDI discovery server', log, timing: times },
      child: childOf(spawn, port, times),
      onUp: () => tell({ state: 'started' }),
      onDown: ({ reason, retryInMs }) => tell({ state: 'waiting', fault: 'ended', reason, inMs: retryInMs }),
    });
    supervisor = own;
    become({ state: 'starting' });
    own.start();
  }

  return {
    /** Call at the start, and after the settings changed. Resolves when the program of the settings before has ended. */
    apply({ enabled, port }: DiscoveryServerSettings): Promise<void> {
      return inTurn(async () => {
        await stop();
        if (enabled) start(port);
        else become({ state: 'disabled' });
      });
    },
    state: (): DiscoveryServerState => state,
    close(): Promise<void> {
      return inTurn(stop);
    },
  };
}

function findProgram(folders: readonly string[]): string | undefined {
  return programs
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

type Server = Subprocess<'ignore', 'pipe', 'pipe'>;

function spawnServer(path: string, port: number, home: string, log: Log): Server {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const command = confined([path, '-bind', '0.0.0.0', '-port', String(port)], {
    read: [...nameResolution, '/proc', '/sys/class/net'],
    write: [home],
    sockets: 'internet',
    limits: { files },
  });
  const server = Bun.spawn(command, {
    ...{ cwd: home, env: { HOME: home, TMPDIR: home }, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' },
  });
  for (const output of [server.stdout, server.stderr]) void logLines(output, log);
  return server;
}

interface ServerLink extends ChildLink {
  readonly kill: () => void;
}

/** The server counts as started when its port accepts connections. */
function childOf(spawn: () => Server, port: number, times: Timing['ndiServer']): Child<ServerLink> {
  const end = async (link: ServerLink | undefined) => {
    link?.kill();
    await link?.closed;
  };
  return {
    async open({ closing }) {
      // Otherwise the port of another program would look like that of the server.
      if ((await probePort('tcp', '0.0.0.0', port)) !== 'free') return `port ${port} is in use`;
      const server = spawn();
      const closed = server.exited.then((code) =>
        server.signalCode ? `ended by ${server.signalCode}` : `ended with code ${code}`,
      );
      // Nothing looks for the port of a program that has ended.
      const over = new AbortController();
      void closed.then(() => over.abort());
      const signal = AbortSignal.any([closing, over.signal, AbortSignal.timeout(times.startMs)]);
      const first = await Promise.race([closed, untilOpen(port, times.connectEveryMs, signal)]);
      // The program has no known request that it would answer, so it counts as alive while it runs.
      const heardAt = () => performance.now();
      if (first === true) return { pid: server.pid, closed, heardAt, kill: () => server.kill('SIGKILL') };
      server.kill('SIGKILL');
      const reason = await closed;
      return first === false ? 'its port did not open in time' : reason;
    },
    kill: (link) => link.kill(),
    stop: end,
    close: end,
  };
}

/** Resolves with whether the port of this machine accepts connections before the signal. */
async function untilOpen(port: number, everyMs: number, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    try {
      const socket = await Bun.connect({ hostname: '127.0.0.1', port, socket: { data() {} } });
      socket.terminate();
      return true;
    } catch {
      await delay(everyMs, undefined, { signal }).catch(() => {});
    }
  }
  return false;
}
