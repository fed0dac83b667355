/**
 * Smooths network jitter: releases items by the stream's own clock, delayed relative to the fastest arrival. An item
 * waits at most `delayMs`; one that arrives later than that passes immediately.
 */
import { type AlarmClock, realClock } from './alarm-clock.ts';

export interface JitterBufferOptions<T> {
  readonly delayMs: number;
  readonly emit: (item: T) => void;
  /** Called after the items that were due have been emitted. */
  readonly flush: () => void;
  readonly clock?: AlarmClock;
}

export interface JitterBufferItem<T> {
  readonly item: T;
  readonly bytes: number;
  /** On the stream's clock, with an arbitrary origin. */
  readonly mediaMs: number;
}

/** How often the fastest arrival is measured again, as the sender's clock or the network may have slowed down. */
const lookMs = 10_000;
/** An item that is late by this much beyond the delay means that the source paused or its clock jumped. */
const pausedMs = 500;
const maxHeldBytes = 32 << 20;

export class JitterBuffer<T> {
  private readonly options: JitterBufferOptions<T>;
  private readonly clock: AlarmClock;
  private queue: JitterBufferItem<T>[] = [];
  private heldBytes = 0;
  /** Wall time at stream time 0, by the fastest arrival. */
  private base: number | undefined;
  /** The same for the previous and the current measurement period. */
  private recent = { before: Number.POSITIVE_INFINITY, now: Number.POSITIVE_INFINITY, since: 0 };
  private timer: { cancel(): void } | undefined;
  private isClosed = false;

  constructor(options: JitterBufferOptions<T>) {
    this.options = options;
    this.clock = options.clock ?? realClock;
  }

  get heldMs(): number {
    const [first] = this.queue;
    const last = this.queue.at(-1);
    return first && last ? Math.max(0, last.mediaMs - first.mediaMs) : 0;
  }

  write(entry: JitterBufferItem<T>): void {
    if (this.isClosed) return;
    this.place(this.clock.now() - entry.mediaMs);
    this.queue.push(entry);
    this.heldBytes += entry.bytes;
  }

  /** Call it after all items that arrived together have been written. */
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
    // Emitting an item may have closed the buffer.
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
