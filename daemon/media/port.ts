/** The hub's interface to the media engine: it accepts the desired state and provides the latest reported state. */

import { isDeepStrictEqual } from 'node:util';
import { createEmitter } from '../lib/emitter.ts';
import type { Log } from '../lib/log.ts';
import { socketPath } from '../lib/socket-path.ts';
import { timing } from '../timing.ts';
import { confinedEngine, engineCommand } from './engine-command.ts';
import { type EngineLink, type EngineNews, MediaError } from './engine-link.ts';
import type { DesiredState, EngineSettings } from './protocol/desired.ts';
import type { EngineReply, EngineRequest, RingMemory } from './protocol/messages.ts';
import type { ChannelStatus, EnginePart } from './protocol/reported.ts';
import { type LossCause, Supervisor, type SupervisorTiming } from './supervisor.ts';

/** Log scope of the lines in which the hub repeats messages of the engine. */
export const engineNewsScope = 'media/engine';

export type EngineState = 'starting' | 'running' | 'down';

export interface MediaStatus {
  /** `starting` is the first attempt and the first restart; `down` waits for the next attempt. */
  readonly engine: EngineState;
  /** Why it is not running. */
  readonly reason: string;
  readonly pid: number;
  readonly memoryBytes: number;
  readonly rings: RingMemory;
  readonly parts: readonly EnginePart[];
  /** Whether the engine has applied the latest desired state. */
  readonly applied: boolean;
  /** By channel id; empty while the engine is not running. */
  readonly channels: ReadonlyMap<number, ChannelStatus>;
  /** When an engine last replaced one that was lost, by `performance.now()`, and how that was lost. */
  readonly replaced?: { readonly cause: LossCause; readonly at: number } | undefined;
}

/** A port is 0 until it is open. */
export interface MediaPorts {
  readonly rtmp: number;
  readonly srt: number;
  readonly hls: number;
}

/** Without its private fields, so that others can stand for it. */
export type MediaPort = Omit<EnginePort, never>;

interface MediaPortOptions {
  readonly dataDir: string;
  /** Path of the ffmpeg program. */
  readonly ffmpeg: string;
  readonly log: Log;
  /** Command of the engine; by default this program in its media role, confined. */
  readonly command?: readonly string[];
  readonly timing?: Partial<SupervisorTiming>;
}

const noStatus: MediaStatus = {
  engine: 'starting',
  reason: '',
  pid: 0,
  memoryBytes: 0,
  rings: { bytes: 0, limit: 0 },
  parts: [],
  applied: false,
  channels: new Map(),
};

export function createMediaPort(options: MediaPortOptions): MediaPort {
  return new EnginePort(options);
}

class EnginePort {
  readonly #log: Log;
  readonly #engineLog: Log;
  readonly #supervisor: Supervisor;
  readonly #changes = createEmitter();
  #desired: DesiredState | undefined;
  // Seeded so that a number that an adopted engine still reports from a previous hub never equals one of ours.
  #generation = Date.now();
  #link: EngineLink | undefined;
  #status = noStatus;
  #ports: MediaPorts = { rtmp: 0, srt: 0, hls: 0 };

  constructor({ dataDir, ffmpeg, log, command, timing: chosen }: MediaPortOptions) {
    const place = { dataDir, ffmpeg };
    this.#log = log.in('media');
    this.#engineLog = log.in(engineNewsScope);
    this.#supervisor = new Supervisor({
      dataDir,
      socket: socketPath(dataDir, 'engine'),
      command: () => command ?? confinedEngine(engineCommand(place), place),
      log: this.#log,
      timing: { ...timing.supervisor, ...chosen },
      onNews: (news) => this.#hear(news),
      onUp: (link) => this.#connected(link),
      onReplaced: (cause) => this.#change({ replaced: { cause, at: performance.now() } }),
      onDown: (reason, retryInMs) => {
        this.#link = undefined;
        const { replaced } = this.#status;
        this.#change({ ...noStatus, engine: retryInMs === 0 ? 'starting' : 'down', reason, replaced });
      },
    });
  }

  start(): void {
    this.#supervisor.start();
  }

  /** Replaces the whole desired state, which is resent after every start of the engine. An equal state is not sent. */
  apply(state: Omit<DesiredState, 'generation'>): void {
    if (this.#desired && isDeepStrictEqual({ ...state, generation: this.#desired.generation }, this.#desired)) return;
    this.#send(state);
    this.#change({ applied: false });
  }

  // A separate function: the composition root passes it on without the port.
  readonly status = (): MediaStatus => this.#status;

  /** The last ports that an engine opened. The next engine gets them instead of 0, so that encoders can reconnect. */
  readonly ports = (): MediaPorts => this.#ports;

  /** Resolves when the engine has applied the latest desired state or is not running, or after `limitMs`. */
  async settled(limitMs: number): Promise<void> {
    const isSettled = () => this.#status.engine !== 'running' || this.#status.applied;
    if (isSettled()) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const unsubscribe = this.onChange(() => isSettled() && resolve());
    const timer = setTimeout(resolve, limitMs);
    await promise;
    clearTimeout(timer);
    unsubscribe();
  }

  /** Rejects with a MediaError. */
  request(ask: EngineRequest, timeoutMs: number): Promise<EngineReply> {
    const down = () => Promise.reject(new MediaError('down', 'the media engine is not running'));
    return this.#link?.request(ask, timeoutMs) ?? down();
  }

  /** Calls the listener after every change of `status()`. Returns a function that unsubscribes. */
  onChange(listener: () => void): () => void {
    return this.#changes.on(listener);
  }

  /** Stops the engine and with it all streams. */
  close(reason: string): Promise<void> {
    return this.#supervisor.close(reason);
  }

  #connected(link: EngineLink): void {
    this.#link = link;
    const { pid, parts } = link.hello;
    this.#notePorts(parts);
    if (this.#desired) this.#send(this.#desired);
    // The engine found these faults before it was connected.
    for (const { ok, name, message } of parts) if (!ok) this.#log.error(message ?? `${name} can't be used`);
    this.#change({ engine: 'running', reason: '', pid, parts, applied: false });
  }

  #send(state: Omit<DesiredState, 'generation'>): void {
    this.#generation += 1;
    this.#desired = { ...state, generation: this.#generation };
    this.#link?.sendDesired({ ...this.#desired, settings: withOpenPorts(this.#desired.settings, this.#ports) });
  }

  #notePorts(parts: readonly EnginePart[]): void {
    for (const { name, ok, port } of parts) {
      if (ok && port !== undefined && name in this.#ports) this.#ports = { ...this.#ports, [name]: port };
    }
  }

  #hear(news: EngineNews): void {
    if (news.type === 'parts') {
      this.#notePorts(news.parts);
      this.#change({ parts: news.parts });
    } else if (news.type === 'event') this.#engineLog[news.level](news.text);
    else {
      this.#change({
        applied: news.generation === this.#generation,
        memoryBytes: news.memoryBytes,
        rings: news.rings,
        channels: new Map(news.channels.map((channel) => [channel.id, channel])),
      });
    }
  }

  #change(next: Partial<MediaStatus>): void {
    this.#status = { ...this.#status, ...next };
    this.#changes.emit();
  }
}

/** Whether each listener is open or has reported why it is not. An engine that does not start has none to wait for. */
export function listenersAreKnown({ engine, parts }: Pick<MediaStatus, 'engine' | 'parts'>): boolean {
  if (engine !== 'running') return engine === 'down';
  return (['rtmp', 'srt', 'hls'] as const).every((listener) => parts.some(({ name }) => name === listener));
}

function withOpenPorts({ rtmpPort, hlsPort, srt, ...rest }: EngineSettings, open: MediaPorts): EngineSettings {
  return {
    ...rest,
    rtmpPort: rtmpPort || open.rtmp,
    hlsPort: hlsPort || open.hls,
    srt: { ...srt, port: srt.port || open.srt },
  };
}
