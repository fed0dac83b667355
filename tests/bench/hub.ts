/** The real hub of the integration tests, with its processes identified. */
import { engineFiles } from '../../daemon/media/engine-command.ts';
import { lastStarted } from '../../daemon/process/lasting-files.ts';
import { type HubOptions, type HubProcess, startHub as startHubProcess } from '../integration/hub-process.ts';
import { commandLine, processTree } from './proc.ts';

export interface BenchHub {
  readonly url: string;
  readonly ports: HubProcess['ports'];
  readonly dataDir: string;
  /** Session cookie, `name=value`. */
  readonly cookie: string;
  /** From process start until it is ready and accepts RTMP. */
  readonly startMs: number;
  call(path: string, body?: object): Promise<Record<string, unknown>>;
  /** Signs in again: later calls use a new session. */
  signIn(): Promise<void>;
  /** A response that does not end by itself. */
  stream(path: string, until: AbortSignal): Promise<Response>;
  /** By role; all except the hub are the media path. */
  processes(): Record<'hub' | 'engine' | 'endpoints' | 'ffmpeg', number[]>;
  stop(): Promise<void>;
}

/** Starts a hub and signs in. */
export async function startHub({ env, ...options }: HubOptions = {}): Promise<BenchHub> {
  const started = performance.now();
  const hub = await startHubProcess({ env: { SIGNALBOX_LOG: 'warn', ...env }, ...options });
  const startMs = performance.now() - started;
  await hub.login();
  return {
    url: hub.url,
    ports: hub.ports,
    dataDir: hub.dataDir,
    get cookie() {
      return hub.headers().cookie ?? '';
    },
    startMs,
    call: (path, body) => hub.api<Record<string, unknown>>(path, body),
    signIn: () => hub.login(),
    stream: (path, signal) => fetch(`${hub.url}${path}`, { headers: hub.headers(), signal }),
    processes: () => tellApart(hub),
    stop: () => hub.stop(),
  };
}

/** The engine outlives hubs and may not be a child of this one, so it is found by its stored process mark. */
function tellApart(hub: HubProcess): ReturnType<BenchHub['processes']> {
  const engine = lastStarted(engineFiles(hub.dataDir))?.pid;
  const media = engine === undefined ? [] : processTree(engine);
  const isMedia = new Set(media);
  const ffmpeg = media.filter((pid) => (commandLine(pid)[0] ?? '').endsWith('ffmpeg'));
  return {
    hub: processTree(hub.pid).filter((pid) => !isMedia.has(pid)),
    engine: media.filter((pid) => pid === engine),
    ffmpeg,
    endpoints: media.filter((pid) => pid !== engine && !ffmpeg.includes(pid)),
  };
}
