/**
 * Evens out a network: what comes is given out in step with the clock of its stream, the delay after what came fastest.
 * So it waits for at most the delay; what comes later than that passes at once.
 */
import { type AlarmClock, realClock } from './alarm-clock.ts';

export interface PlayoutOptions<T> {
  readonly delayMs: number;
  readonly emit: (item: T) => void;
  /** What was due for now is out. */
  readonly flush: () => void;
  readonly clock?: AlarmClock;
}

export interface PlayoutItem<T> {
  readonly item: T;
  readonly bytes: number;
  /** By the stream's clock, from any beginning. */
  readonly mediaMs: number;
}

/** So long is looked for what came fastest: the sender's clock, and the way, may have become slower. */
const lookMs = 10_000;
/** Later than the delay by so much: the source paused, or its clock leapt. */
const pausedMs = 500;
const maxHeldBytes = 32 << 20;

export class Playout<T> {
  private readonly options: PlayoutOptions<T>;
  private readonly clock: AlarmClock;
  private queue: PlayoutItem<T>[] = [];
  private heldBytes = 0;
  /** Wall time of the stream's 0, as what came fastest has it. */
  private base: number | undefined;
  /** The same of the last and of the present look. */
  private recent = { before: Number.POSITIVE_INFINITY, now: Number.POSITIVE_INFINITY, since: 0 };
  private timer: { cancel(): void } | undefined;
  private isClosed = false;

  constructor(options: PlayoutOptions<T>) {
    this.options = options;
    this.clock = options.clock ?? realClock;
  }

  get heldMs(): number {
    const [first] = this.queue;
    const last = this.queue.at(-1);
    return first && last ? Math.max(0, last.mediaMs - first.mediaMs) : 0;
  }

  write(entry: PlayoutItem<T>): void {
    if (this.isClosed) return;
    this.place(this.clock.now() - entry.mediaMs);
    this.queue.push(entry);
    this.heldBytes += entry.bytes;
  }

  /** To be called after what came at once was written. */
  run(): void {
    this.timer?.cancel();
    this.timer = undefined;
    const now = this.clock.now();
    let count = 0;
    for (const { bytes, mediaMs } of this.queue) {
      if (this.dueIn(mediaMs, now) > 0 && this.heldBytes <= maxHeldBytes) break;
      count++;
      this.heldBytes -= bytes;
    }
    for (const { item } of this.queue.splice(0, count)) if (!this.isClosed) this.options.emit(item);
    if (this.isClosed) return;
    if (count > 0) this.options.flush();
    const [next] = this.queue;
    // What was given out may have ended it.
    if (next && !this.isClosed) {
      this.timer = this.clock.after(Math.max(1, this.dueIn(next.mediaMs, now)), () => this.run());
    }
  }

  close(): void {
    this.isClosed = true;
    this.timer?.cancel();
    this.queue = [];
  }

  private place(base: number): void {
    const now = this.clock.now();
    if (this.base === undefined || base > this.base + this.options.delayMs + pausedMs) this.begin(base, now);
    else if (base < this.base) this.base = base;
    this.recent.now = Math.min(this.recent.now, base);
    if (now - this.recent.since < lookMs) return;
    this.base = Math.min(this.recent.before, this.recent.now);
    this.recent = { before: this.recent.now, now: Number.POSITIVE_INFINITY, since: now };
  }

  private begin(base: number, now: number): void {
    this.base = base;
    this.recent = { before: base, now: base, since: now };
  }

  private dueIn(mediaMs: number, now: number): number {
    return (this.base ?? now) + this.options.delayMs + mediaMs - now;
  }
}
