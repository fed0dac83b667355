/** What the hub sees of the media engine: the wanted state goes in, the newest actual state comes out. */
import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Log } from '../lib/log.ts';
import { socketPath } from '../lib/socket-path.ts';
import { type EngineLink, type EngineNews, MediaError } from './engine-link.ts';
import type { ChannelStatus, EnginePart, EngineReply, EngineRequest, WantedState } from './protocol.ts';
import { Supervisor, type SupervisorTiming, supervisorTiming } from './supervisor.ts';

export type EngineState = 'starting' | 'running' | 'down';

export interface MediaStatus {
  /** `starting` is the first attempt and the first restart; `down` waits for the next attempt. */
  readonly engine: EngineState;
  /** Why it isn't running. */
  readonly reason: string;
  readonly pid: number;
  readonly memoryBytes: number;
  readonly parts: readonly EnginePart[];
  /** Whether the engine works with the newest wanted state. */
  readonly applied: boolean;
  /** By channel id; empty while the engine isn't running. */
  readonly channels: ReadonlyMap<number, ChannelStatus>;
}

export interface MediaPort {
  start(): void;
  /** Replaces the whole wanted state; it is kept and sent again after every start of the engine. The same is not sent. */
  apply(state: Omit<WantedState, 'generation'>): void;
  status(): MediaStatus;
  /** Rejects with a MediaError. */
  request(ask: EngineRequest, timeoutMs: number): Promise<EngineReply>;
  /** Calls after every change of `status()`. Answers how to end that. */
  onChange(listener: () => void): () => void;
  /** Stops the engine and with it every stream. */
  close(reason: string): Promise<void>;
}

interface MediaPortOptions {
  readonly dataDir: string;
  /** Path of the ffmpeg program. */
  readonly ffmpeg: string;
  readonly log: Log;
  /** The program that is the engine, when it isn't this one in its media role. */
  readonly command?: readonly string[];
  readonly timing?: Partial<SupervisorTiming>;
}

const noStatus: MediaStatus = {
  engine: 'starting',
  reason: '',
  pid: 0,
  memoryBytes: 0,
  parts: [],
  applied: false,
  channels: new Map(),
};

/** This program in the role `media`: beside a source file when run from source, the binary itself when compiled. */
function engineCommand(dataDir: string, ffmpeg: string): string[] {
  const isSource = Bun.main.endsWith('.ts');
  const program = isSource ? [process.execPath, resolve(import.meta.dir, '../main.ts')] : [process.execPath];
  return [...program, 'media', '--data-dir', resolve(dataDir), '--ffmpeg', ffmpeg];
}

export function createMediaPort(options: MediaPortOptions): MediaPort {
  const log = options.log.in('media');
  const listeners = new Set<() => void>();
  let wanted: WantedState | undefined;
  // Seeded so that the number an adopted engine still reports from a hub before this one is never one of ours.
  let generation = Date.now();
  let link: EngineLink | undefined;
  let status = noStatus;

  const change = (next: Partial<MediaStatus>): void => {
    status = { ...status, ...next };
    for (const listener of listeners) listener();
  };
  const send = (state: Omit<WantedState, 'generation'>): void => {
    generation += 1;
    wanted = { ...state, generation };
    link?.sendWanted(wanted);
  };
  const onNews = (news: EngineNews): void => {
    if (news.type === 'parts') change({ parts: news.parts });
    else if (news.type === 'event') log.in('engine')[news.level](news.text);
    else {
      change({
        applied: news.generation === generation,
        memoryBytes: news.memoryBytes,
        channels: new Map(news.channels.map((channel) => [channel.id, channel])),
      });
    }
  };
  const onUp = (newLink: EngineLink): void => {
    link = newLink;
    if (wanted) send(wanted);
    change({ engine: 'running', reason: '', pid: link.hello.pid, parts: link.hello.parts, applied: false });
  };
  const onDown = (reason: string, retryInMs: number): void => {
    link = undefined;
    change({ ...noStatus, engine: retryInMs === 0 ? 'starting' : 'down', reason });
  };

  const supervisor = new Supervisor({
    dataDir: options.dataDir,
    socket: socketPath(options.dataDir, 'engine'),
    command: options.command ?? engineCommand(options.dataDir, options.ffmpeg),
    log,
    timing: { ...supervisorTiming, ...options.timing },
    onNews,
    onUp,
    onDown,
  });

  return {
    start: () => supervisor.start(),
    apply(state) {
      if (wanted && isDeepStrictEqual({ ...state, generation }, wanted)) return;
      send(state);
      change({ applied: false });
    },
    status: () => status,
    request: (ask, timeoutMs) =>
      link?.request(ask, timeoutMs) ?? Promise.reject(new MediaError('down', 'the media engine is not running')),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: (reason) => supervisor.close(reason),
  };
}
