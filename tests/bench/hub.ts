/** The real hub of the integration tests, with its processes told apart. */
import { lastStarted } from '../../daemon/media/engine-process.ts';
import { type HubProcess, startHub as startHubProcess } from '../integration/hub-process.ts';
import { commandLine, processTree } from './proc.ts';

export interface BenchHub {
  readonly url: string;
  readonly ports: HubProcess['ports'];
  readonly dataDir: string;
  /** Of the session, `name=value`. */
  readonly cookie: string;
  /** From the start of the process until it answers "ready" and takes RTMP. */
  readonly startMs: number;
  call(path: string, body?: object): Promise<Record<string, unknown>>;
  /** Once more: what follows belongs to a session of its own. */
  signIn(): Promise<void>;
  /** An answer that doesn't end by itself. */
  stream(path: string, until: AbortSignal): Promise<Response>;
  /** By what they do; all but the hub are the media path. */
  processes(): Record<'hub' | 'engine' | 'endpoints' | 'ffmpeg', number[]>;
  stop(): Promise<void>;
}

/** Signed in. */
export async function startHub(): Promise<BenchHub> {
  const started = performance.now();
  const hub = await startHubProcess({ env: { SIGNALBOX_LOG: 'warn' } });
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

/** The engine outlives hubs and needn't be a child of this one, so it is found by the mark that is kept of it. */
function tellApart(hub: HubProcess): ReturnType<BenchHub['processes']> {
  const engine = lastStarted(hub.dataDir)?.pid;
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
