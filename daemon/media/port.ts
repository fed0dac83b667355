/** The hub's interface to the media engine: it accepts the desired state and provides the latest reported state. */

import { isDeepStrictEqual } from 'node:util';
import { MessageLink } from '../ipc/message-link.ts';
import { RequestError } from '../ipc/request-table.ts';
import { createEmitter } from '../lib/emitter.ts';
import type { Log } from '../lib/log.ts';
import { socketPath } from '../lib/socket-path.ts';
import { LastingProcess } from '../process/lasting-process.ts';
import { type LossCause, Supervisor, type SupervisorTiming } from '../process/supervisor.ts';
import { timing } from '../timing.ts';
import { confinedEngine, engineCommand, engineEnvironment, engineFiles } from './engine-command.ts';
import type { DesiredState, EngineSettings } from './protocol/desired.ts';
import {
  type EngineMessages,
  type EngineNews,
  type EngineReply,
  type EngineRequest,
  engineProtocol,
  type RingMemory,
} from './protocol/messages.ts';
import type { ChannelStatus, EnginePart } from './protocol/reported.ts';

/** Log scope of the lines in which the hub repeats messages of the engine. */
export const engineNewsScope = 'media/engine';

type EngineState = 'starting' | 'running' | 'down';

export interface MediaStatus {
  /** `starting` is the first attempt and the first restart; `down` waits for the next attempt. */
  readonly engine: EngineState;
  /** Why it is not running. */
  readonly reason: string;
  /** Whether it keeps ending. */
  readonly isFailing: boolean;
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
interface MediaPorts {
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
  /** Whether the hub starts the engine, and stops it when it stops. Otherwise a unit of the system does. */
  readonly startsEngine?: boolean;
  /** Command of the engine; by default this program in its media role, confined. */
  readonly command?: readonly string[];
  readonly timing?: Partial<SupervisorTiming>;
}

const noStatus: MediaStatus = {
  engine: 'starting',
  reason: '',
  isFailing: false,
  pid: 0,
  memoryBytes: 0,
  rings: { bytes: 0, limit: 0 },
  parts: [],
  applied: false,
  channels: new Map(),
};

type EngineLink = MessageLink<EngineMessages>;

/** The engine's name in log lines and errors. */
const engineName = 'media engine';

export function createMediaPort(options: MediaPortOptions): MediaPort {
  return new EnginePort(options);
}

class EnginePort {
  readonly #log: Log;
  readonly #engineLog: Log;
  readonly #supervisor: Supervisor<EngineLink>;
  readonly #changes = createEmitter();
  readonly #startsEngine: boolean;
  #desired: DesiredState | undefined;
  // Seeded so that a number that an adopted engine still reports from a previous hub never equals one of ours.
  #generation = Date.now();
  #status = noStatus;
  #ports: MediaPorts = { rtmp: 0, srt: 0, hls: 0 };

  constructor({ dataDir, ffmpeg, log, startsEngine = true, command, timing: chosen }: MediaPortOptions) {
    const place = { dataDir, ffmpeg };
    const all = { ...timing.supervisor, ...chosen };
    // An engine that its unit started again must not wait for the hub.
    const times = startsEngine ? all : { ...all, lastBackoffMs: all.firstBackoffMs };
    this.#startsEngine = startsEngine;
    this.#log = log.in('media');
    this.#engineLog = log.in(engineNewsScope);
    this.#supervisor = new Supervisor({
      ...{ name: engineName, log: this.#log, timing: times },
      child: new LastingProcess<EngineMessages>({
        ...{ ...engineFiles(dataDir), name: engineName, protocol: engineProtocol, isOurs: startsEngine },
        command: () => command ?? confinedEngine(engineCommand(place), place),
        ...{ environment: engineEnvironment(), log: this.#log, timing: times },
        connect: () => this.#connect(socketPath(dataDir, 'engine'), times.helloMs),
      }),
      onUp: (link, replaced) => {
        if (replaced) this.#change({ replaced: { cause: replaced, at: performance.now() } });
        this.#connected(link);
      },
      onDown: ({ reason, retryInMs, isFailing }) => {
        const { replaced } = this.#status;
        this.#change({ ...noStatus, engine: retryInMs === 0 ? 'starting' : 'down', reason, isFailing, replaced });
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

  /** Rejects with a RequestError. */
  request(ask: EngineRequest, timeoutMs: number): Promise<EngineReply> {
    const down = () => Promise.reject(new RequestError('down', `the ${engineName} is not running`));
    return this.#supervisor.link?.request(ask, timeoutMs) ?? down();
  }

  /** Restarts the engine at once, which interrupts all streams. Returns false if only its unit can start it. */
  restart(reason: string): boolean {
    const canRestart = this.#startsEngine || this.#supervisor.link !== undefined;
    this.#supervisor.restart(reason);
    return canRestart;
  }

  /** Calls the listener after every change of `status()`. Returns a function that unsubscribes. */
  onChange(listener: () => void): () => void {
    return this.#changes.on(listener);
  }

  /** Stops the engine and with it all streams, unless it has a unit of its own. */
  close(reason: string): Promise<void> {
    return this.#supervisor.close(reason);
  }

  /** Leaves the engine and its streams running: the next hub adopts it. */
  leave(reason: string): Promise<void> {
    return this.#supervisor.leave(reason);
  }

  #connect(path: string, helloTimeoutMs: number): EngineLink['opened'] {
    const onNews = (news: EngineNews) => this.#hear(news);
    const options = { name: engineName, path, protocol: engineProtocol, helloTimeoutMs, onNews };
    return new MessageLink<EngineMessages>(options).opened;
  }

  #connected(link: EngineLink): void {
    const { pid, parts } = link.hello;
    this.#notePorts(parts);
    if (this.#desired) this.#send(this.#desired);
    // The engine found these faults before it was connected.
    for (const { ok, name, message } of parts) if (!ok) this.#log.error(message ?? `${name} can't be used`);
    this.#change({ engine: 'running', reason: '', isFailing: false, pid, parts, applied: false });
  }

  #send(state: Omit<DesiredState, 'generation'>): void {
    this.#generation += 1;
    this.#desired = { ...state, generation: this.#generation };
    this.#supervisor.link?.sendDesired({
      ...this.#desired,
      settings: withOpenPorts(this.#desired.settings, this.#ports),
    });
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
