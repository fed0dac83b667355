/**
 * Makes the other shape of a channel: one FFmpeg in copy mode per direction, only while somebody wants that shape.
 * Bytes pass over two unix sockets that FFmpeg finds connected; pipes through the runtime's web streams cost half as much
 * again.
 */

import { unlinkSync } from 'node:fs';
import type { Socket, UnixSocketListener } from 'bun';
import type { Log } from '../lib/log.ts';
import { timing } from '../timing.ts';
import { createBackoff } from './backoff.ts';
import type { Cursor, Unit } from './bus.ts';
import { type FfmpegProcess, startFfmpeg } from './ffmpeg/process.ts';
import type { ProcessLogEntry } from './protocol.ts';

/** Where the bridge's bytes come from: a bus, and how its units become a byte stream. */
export interface BridgeSource {
  /** Undefined while the publisher hasn't shown what it sends. */
  prefix(): Uint8Array | undefined;
  subscribe(wake: () => void): BridgeCursor;
}
export interface BridgeCursor {
  take(): Uint8Array | undefined;
  close(): void;
}

/** A cursor whose units are turned into bytes. */
export function encodingCursor<U extends Unit>(cursor: Cursor<U>, encode: (unit: U) => Uint8Array): BridgeCursor {
  return {
    take() {
      const unit = cursor.take();
      return unit && encode(unit);
    },
    close: () => cursor.close(),
  };
}

/** Where the bytes go that FFmpeg made; one per run, because each run is a new stream. */
export interface BridgeSink {
  /** Throws when they are not what was to be made. */
  write(bytes: Uint8Array): void;
  close(): void;
}

export interface BridgeOptions {
  /** `ts to flv` or `flv to ts`, for people. */
  readonly name: string;
  readonly log: Log;
  /** Undefined while FFmpeg can't be used. */
  readonly ffmpeg: () => string | undefined;
  readonly socketPath: (name: string) => string;
  /** Unique over the engine. */
  readonly id: string;
  readonly inputArgs: readonly string[];
  readonly outputArgs: readonly string[];
  readonly source: BridgeSource;
  readonly openSink: () => BridgeSink;
  readonly onChange: () => void;
}

/** FFmpeg says so when a codec has no place in the container; trying again is of no use until the stream changes. */
const impossible =
  /not compatible with|not currently supported in container|Could not find tag for codec|codec not supported/i;

const { stuckMs } = timing.conversion;
const watchMs = 500;

export class Bridge {
  private readonly options: BridgeOptions;
  private readonly backoff = createBackoff();
  private run: Run | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private wanted = false;
  private startedAt = 0;
  private lastLog: ProcessLogEntry | undefined;
  private runs = 0;
  isImpossible = false;

  constructor(options: BridgeOptions) {
    this.options = options;
  }

  want(on: boolean): void {
    if (on === this.wanted) return;
    this.wanted = on;
    if (on) this.begin();
    else this.halt();
  }

  /** The publisher changed: what FFmpeg learnt about the stream is void. */
  restart(): void {
    this.isImpossible = false;
    if (!this.wanted) return;
    this.halt();
    this.begin();
  }

  log(): ProcessLogEntry | undefined {
    return this.run?.log() ?? this.lastLog;
  }

  close(): void {
    this.wanted = false;
    this.halt();
  }

  private begin(): void {
    this.timer = undefined;
    const binary = this.options.ffmpeg();
    const prefix = this.options.source.prefix();
    if (!binary || !prefix) {
      this.timer = setTimeout(() => this.begin(), 100);
      return;
    }
    this.startedAt = performance.now();
    this.runs++;
    const run = new Run(this.options, binary, prefix, this.runs);
    this.run = run;
    try {
      run.start((log, fault) => {
        if (this.run === run) this.ended(log, fault);
      });
    } catch (error) {
      run.stop();
      const log = { name: `bridge ${this.options.name}`, running: false, lines: [] };
      this.ended(log, `FFmpeg can't be started: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  private ended(log: ProcessLogEntry, fault: string | undefined): void {
    this.run = undefined;
    this.lastLog = log;
    this.isImpossible = log.lines.some((line) => impossible.test(line.text));
    this.backoff.ended(performance.now() - this.startedAt);
    const lastWord = log.lines.findLast((line) => line.level === 'error' || line.level === 'fatal')?.text;
    const reason = fault ?? lastWord ?? 'no message';
    this.options.log.warn(`bridge ${this.options.name} ended`, { reason });
    this.options.onChange();
    if (this.wanted) this.timer = setTimeout(() => this.begin(), this.backoff.next(this.isImpossible));
  }

  private halt(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const run = this.run;
    this.run = undefined;
    this.lastLog = run?.log() ?? this.lastLog;
    run?.stop();
  }
}

/** One FFmpeg process with its two sockets. */
class Run {
  private readonly options: BridgeOptions;
  private readonly binary: string;
  private readonly prefix: Uint8Array;
  private readonly paths: { input: string; output: string };
  private readonly listeners: UnixSocketListener<undefined>[] = [];
  private readonly sink: BridgeSink;
  private feed: Socket<undefined> | undefined;
  private cursor: BridgeCursor | undefined;
  private pending: Uint8Array | undefined;
  private pendingAt = 0;
  private child: FfmpegProcess | undefined;
  private isOver = false;
  private fault: string | undefined;
  /** When something was made last, */
  private madeAt = performance.now();
  /** and when there was something to make it of. */
  private fedAt = 0;
  private watch: ReturnType<typeof setInterval> | undefined;

  constructor(options: BridgeOptions, binary: string, prefix: Uint8Array, number: number) {
    this.options = options;
    this.binary = binary;
    this.prefix = prefix;
    this.sink = options.openSink();
    const path = (side: string) => options.socketPath(`${options.id}-${number}-${side}`);
    this.paths = { input: path('i'), output: path('o') };
  }

  start(onEnd: (log: ProcessLogEntry, fault: string | undefined) => void): void {
    this.listenForInput();
    this.listenForOutput();
    const { name, inputArgs, outputArgs } = this.options;
    const child = startFfmpeg({
      binary: this.binary,
      name: `bridge ${name}`,
      args: [...inputArgs, '-i', 'pipe:3', ...outputArgs, '-y', 'pipe:4'],
      rights: { connect: [this.paths.input, this.paths.output] },
    });
    this.child = child;
    this.watch = setInterval(() => this.look(), watchMs);
    void child.exited.then(() => {
      this.release();
      onEnd(child.log(), this.fault);
    });
  }

  private look(): void {
    if (this.pending) this.fedAt = performance.now();
    if (this.fedAt - this.madeAt > stuckMs) this.giveUp(`nothing came out for ${stuckMs / 1000} s`);
  }

  private giveUp(fault: string): void {
    this.fault ??= fault;
    this.child?.kill();
  }

  log(): ProcessLogEntry | undefined {
    return this.child?.log();
  }

  stop(): void {
    this.release();
    void this.child?.stop();
  }

  private listenForInput(): void {
    this.listen(this.paths.input, {
      open: (socket: Socket<undefined>) => {
        this.feed = socket;
        this.pending = this.prefix;
        this.pendingAt = 0;
        this.cursor = this.options.source.subscribe(() => this.pump());
        this.pump();
      },
      drain: () => this.pump(),
      data: () => undefined,
      error: () => undefined,
    });
  }

  private listenForOutput(): void {
    this.listen(this.paths.output, {
      data: (_: Socket<undefined>, bytes: Uint8Array) => {
        if (this.isOver || this.fault) return;
        this.madeAt = performance.now();
        try {
          this.sink.write(bytes);
        } catch (error) {
          this.giveUp(`what came out can't be read: ${error instanceof Error ? error.message : String(error)}`);
        }
      },
      error: () => undefined,
    });
  }

  private listen(path: string, socket: Bun.SocketHandler<undefined, 'buffer'>): void {
    removeFile(path);
    this.listeners.push(Bun.listen<undefined>({ unix: path, socket: { binaryType: 'buffer', ...socket } }));
  }

  private pump(): void {
    const feed = this.feed;
    if (!feed || this.isOver) return;
    for (;;) {
      this.pending ??= this.cursor?.take();
      if (!this.pending) return;
      const written = feed.write(this.pending, this.pendingAt, this.pending.length - this.pendingAt);
      if (written < 0) return;
      this.pendingAt += written;
      if (written > 0) this.fedAt = performance.now();
      if (this.pendingAt < this.pending.length) return;
      this.pending = undefined;
      this.pendingAt = 0;
    }
  }

  private release(): void {
    if (this.isOver) return;
    this.isOver = true;
    clearInterval(this.watch);
    this.cursor?.close();
    this.sink.close();
    this.feed?.end();
    for (const listener of this.listeners) listener.stop(true);
    removeFile(this.paths.input);
    removeFile(this.paths.output);
  }
}

function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It wasn't there.
  }
}
