/** A real hub on free ports with a data folder of its own, driven through its HTTP API. */
import { join } from 'node:path';
import { lastStarted } from '../../daemon/media/engine-process.ts';
import { type Child, startChild } from './child.ts';
import { freePorts } from './ports.ts';
import { commandLine, processTree } from './proc.ts';
import { makeTempFolder, removeTempFolder } from './temp-folder.ts';
import { untilListening } from './until-listening.ts';

export interface BenchHub {
  readonly ports: { readonly http: number; readonly rtmp: number; readonly srt: number };
  /** From the start of the process until it answers "ready" and takes RTMP. */
  readonly startMs: number;
  signIn(): Promise<void>;
  call(path: string, body?: object): Promise<Record<string, unknown>>;
  /** By what they do; the last three are the media path. */
  processes(): Record<'hub' | 'engine' | 'srt endpoint' | 'ffmpeg', number[]>;
  stop(): Promise<void>;
}

const root = join(import.meta.dir, '../..');
const password = 'bench-only';
const readyTimeoutMs = 15_000;
const callTimeoutMs = 10_000;
const pollMs = 10;

export async function startHub(): Promise<BenchHub> {
  const dataDir = makeTempFolder('hub');
  const base = await freePorts(7);
  const ports = { http: base, rtmp: base + 1, srt: base + 2 };
  const started = performance.now();
  const child = startChild('hub', [process.execPath, 'daemon/main.ts', 'hub'], {
    cwd: root,
    env: {
      SIGNALBOX_DATA_DIR: dataDir,
      SIGNALBOX_BIND: '127.0.0.1',
      SIGNALBOX_HTTP_PORT: String(ports.http),
      SIGNALBOX_RTMP_PORT: String(ports.rtmp),
      SIGNALBOX_SRT_PORT: String(ports.srt),
      SIGNALBOX_HLS_PORT: String(base + 3),
      SIGNALBOX_RTSP_PORT: String(base + 4),
      SIGNALBOX_LINK_PORT: String(base + 5),
      SIGNALBOX_CONSOLE_PORT: String(base + 6),
      SIGNALBOX_ADMIN_PASSWORD: password,
      SIGNALBOX_LOG: 'warn',
    },
  });
  await untilReady(child, ports.http);
  await untilListening(ports.rtmp, child);
  const startMs = performance.now() - started;
  const session = openSession(ports.http);
  return {
    ports,
    startMs,
    signIn: () => session.signIn(),
    call: (path, body) => session.call(path, body),
    processes: () => mediaProcesses(child.pid, dataDir),
    stop: async () => {
      const engine = lastStarted(dataDir);
      await child.stop();
      if (engine !== undefined) await untilGone(engine.pid);
      removeTempFolder(dataDir);
    },
  };
}

async function untilReady(child: Child, port: number): Promise<void> {
  let ended: number | undefined;
  void child.exited.then((code) => {
    ended = code;
  });
  const end = performance.now() + readyTimeoutMs;
  while (performance.now() < end && ended === undefined) {
    const isReady = await fetch(`http://127.0.0.1:${port}/api/health`).then(
      (answer) => answer.ok,
      () => false,
    );
    if (isReady) return;
    await Bun.sleep(pollMs);
  }
  throw new Error(`the hub isn't ready${ended === undefined ? '' : `, it ended with ${ended}`}\n${child.lastWords()}`);
}

function openSession(port: number): Pick<BenchHub, 'signIn' | 'call'> {
  let cookie = '';
  const call = async (path: string, body?: object): Promise<Record<string, unknown>> => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { cookie, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(callTimeoutMs),
    });
    const content = (await answer.json()) as Record<string, unknown>;
    if (content.result !== 0) throw new Error(`${path} answered ${answer.status} ${JSON.stringify(content)}`);
    return content;
  };
  return {
    call,
    signIn: async () => {
      const { token } = await call('/api/login', { id: 'Admin', password });
      cookie = `mwcloud-sid=${String(token)}`;
    },
  };
}

/** The engine outlives hubs and needn't be a child of this one, so it is found by the mark that is kept of it. */
function mediaProcesses(hubPid: number, dataDir: string): ReturnType<BenchHub['processes']> {
  const engine = lastStarted(dataDir)?.pid;
  const media = engine === undefined ? [] : processTree(engine);
  const isMedia = new Set(media);
  const isProgram = (pid: number, name: string): boolean => (commandLine(pid)[0] ?? '').endsWith(name);
  const ffmpeg = media.filter((pid) => isProgram(pid, 'ffmpeg'));
  return {
    hub: processTree(hubPid).filter((pid) => !isMedia.has(pid)),
    engine: media.filter((pid) => pid === engine),
    ffmpeg,
    'srt endpoint': media.filter((pid) => pid !== engine && !ffmpeg.includes(pid)),
  };
}

async function untilGone(pid: number): Promise<void> {
  const tree = processTree(pid);
  const isThere = (): boolean => commandLine(pid).length > 0;
  const end = performance.now() + 4000;
  while (isThere() && performance.now() < end) await Bun.sleep(pollMs);
  for (const each of tree) {
    try {
      if (commandLine(each).length > 0) process.kill(each, 'SIGKILL');
    } catch {
      // It ended in between.
    }
  }
}
