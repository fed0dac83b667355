/**
 * Thumbnails of sources for any number of viewers, from a process that receives the sources with low bandwidth (role
 * `ndi-thumb`). The process runs while there are viewers, and receives a few sources at a time, each in turn.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Log } from '../lib/log.ts';
import { shareTurns } from '../lib/turns.ts';
import { Supervisor } from '../process/supervisor.ts';
import type { Timing } from '../timing.ts';
import { type NdiRole, ndiCommand, ndiEnvironment, ndiHome } from './child-command.ts';
import { type ChildMessage, maxReceivers } from './messages.ts';
import type { NdiProcess } from './ndi-process.ts';
import type { NdiPicture } from './port.ts';
import { type RuntimeSettings, writeRuntimeConfig } from './runtime-config.ts';
import { ndiChild, startNdiProcess } from './start-process.ts';

export interface UsableRuntime {
  readonly path: string;
  readonly settings: RuntimeSettings;
}

interface ThumbnailOptions {
  readonly dataDir: string;
  readonly log: Log;
  readonly timing: Timing['ndi'] & Timing['ndiThumbnails'];
  readonly command?: ((role: NdiRole, library: string, home: string) => readonly string[]) | undefined;
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** Undefined while no runtime works. */
  readonly runtime: () => UsableRuntime | undefined;
}

interface Watched {
  lookedAt: number;
  /** When its turn began, or when it began to wait for one. */
  since: number;
  hasTurn: boolean;
  /** Whether a picture arrived during its turn. */
  hasArrived: boolean;
  picture: NdiPicture | undefined;
}

const role = 'ndi-thumb';
const name = 'NDI thumbnail process';

export class NdiThumbnails {
  readonly #options: ThumbnailOptions;
  readonly #home: string;
  readonly #watched = new Map<string, Watched>();
  #timer: Timer | undefined;
  #supervisor: Supervisor<NdiProcess> | undefined;
  /** The runtime that the process was started with. If it cannot receive, the process is not started again with it. */
  #used: UsableRuntime | undefined;
  #lookedAt = 0;
  #lastNumber = 0;
  /** The sources that the process was told to receive. */
  #told: readonly string[] = [];

  constructor(options: ThumbnailOptions) {
    this.#options = options;
    this.#home = ndiHome(options.dataDir, role);
  }

  /** Requests pictures of these sources for the next seconds. Returns those with a higher number than `after`. */
  look(names: readonly string[], after: number): NdiPicture[] {
    const now = performance.now();
    for (const source of names) {
      const known = this.#watched.get(source);
      if (known) known.lookedAt = now;
      else {
        const none = { hasTurn: false, hasArrived: false, picture: undefined };
        this.#watched.set(source, { lookedAt: now, since: now, ...none });
      }
    }
    if (names.length > 0) {
      this.#lookedAt = now;
      if (this.#timer === undefined) {
        this.#timer = setInterval(() => this.#tick(), this.#options.timing.tickMs);
        this.#tick();
      }
    }
    const pictures = names.flatMap((source) => this.#watched.get(source)?.picture ?? []);
    return pictures.filter(({ number }) => number > after);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#watched.clear();
    await this.#end('the hub stops');
  }

  #tick(): void {
    const now = performance.now();
    const { lingerMs, idleMs } = this.#options.timing;
    for (const [source, { lookedAt }] of this.#watched) {
      if (now - lookedAt > lingerMs) this.#watched.delete(source);
    }
    if (now - this.#lookedAt > idleMs) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      this.#used = undefined;
      void this.#end('it has no viewers');
      return;
    }
    this.#giveTurns(now);
    const runtime = this.#options.runtime();
    if (runtime !== undefined && !isDeepStrictEqual(runtime, this.#used)) this.#start(runtime);
    this.#tell();
  }

  #giveTurns(now: number): void {
    const { turnMs, emptyTurnMs } = this.#options.timing;
    const all = [...this.#watched.values()].map((one) => ({
      ...{ one, since: one.since, hasTurn: one.hasTurn },
      isDone: now - one.since > (one.hasArrived ? turnMs : emptyTurnMs),
    }));
    const { ending, beginning } = shareTurns(all, maxReceivers);
    for (const { one } of [...ending, ...beginning]) {
      one.hasTurn = !one.hasTurn;
      one.since = now;
      one.hasArrived = false;
    }
  }

  #tell(): void {
    const names = [...this.#watched].filter(([, { hasTurn }]) => hasTurn).map(([source]) => source);
    if (isDeepStrictEqual(names, this.#told)) return;
    const { link } = this.#supervisor ?? {};
    if (!link) return;
    link.send({ type: 'watch', names });
    this.#told = names;
  }

  #start(runtime: UsableRuntime): void {
    void this.#end('it is started again');
    this.#used = runtime;
    const { log, timing } = this.#options;
    const supervisor: Supervisor<NdiProcess> = new Supervisor({
      ...{ name, log, timing },
      child: ndiChild((attempt) => this.#open(runtime, attempt.closing, () => this.#supervisor === supervisor)),
      onUp: () => {
        if (this.#supervisor === supervisor) this.#tell();
      },
      // While there are viewers, even a process that keeps ending is started again, after a longer and longer delay.
      onDown: () => {
        if (this.#supervisor === supervisor) this.#told = [];
      },
    });
    this.#supervisor = supervisor;
    supervisor.start();
  }

  async #open(
    { path, settings }: UsableRuntime,
    closing: AbortSignal,
    isCurrent: () => boolean,
  ): Promise<NdiProcess | string> {
    const { log, command, environment, timing } = this.#options;
    writeRuntimeConfig(this.#home, settings);
    const started = await startNdiProcess(
      {
        command: command?.(role, path, this.#home) ?? ndiCommand(role, path, this.#home),
        environment: { ...ndiEnvironment(this.#home), ...environment },
        ...{ startMs: timing.startMs, log },
        onMessage: (message) => {
          if (isCurrent()) this.#receive(message);
        },
      },
      closing,
    );
    if (typeof started === 'string') return started;
    const { link, greeting } = started;
    const isUsable = greeting.type === 'hello' && greeting.groups.includes('receive');
    if (isUsable) return link;
    // The next attempt would have the same result.
    if (isCurrent()) void this.#end('the runtime cannot receive');
    link.kill('the runtime cannot receive');
    return link.closed;
  }

  #receive(message: ChildMessage): void {
    if (message.type !== 'picture') return;
    const one = this.#watched.get(message.name);
    const jpeg = Buffer.from(message.jpeg, 'base64');
    if (!one || jpeg[0] !== 0xff || jpeg[1] !== 0xd8) return;
    this.#lastNumber += 1;
    one.hasArrived = true;
    one.picture = { name: message.name, number: this.#lastNumber, jpeg };
  }

  async #end(reason: string): Promise<void> {
    const supervisor = this.#supervisor;
    this.#supervisor = undefined;
    this.#told = [];
    await supervisor?.close(reason);
  }
}
