/**
 * The bus: a bounded ring of packets per channel and format, with one cursor per subscriber.
 *
 * A publisher never waits. A subscriber that falls behind the limit loses whole groups of pictures and resumes at the
 * newest random access point. Subscribers have no queues: memory use is the ring.
 */

import { totalmem } from 'node:os';

/** Fields of every ring entry. `entryPoint`: a decoder can start with this unit. */
export interface Unit {
  readonly bytes: number;
  readonly entryPoint: boolean;
}

export interface RingLimits {
  /** A subscriber further behind than this skips forward. Milliseconds. */
  readonly lagMs: number;
  /** The same limit in bytes. */
  readonly lagBytes: number;
  /** What each ring may hold even when the shared budget is spent. */
  readonly ownBytes: number;
  /** Hard limit of the ring. A group of pictures longer than this cannot be joined before it ends. */
  readonly maxBytes: number;
  readonly maxMs: number;
}

/** RTMP players get 5 s of lag. Groups of 60 s at 16 Mb/s or 15 s at 67 Mb/s fit completely. */
export const defaultRingLimits: RingLimits = {
  lagMs: 5000,
  lagBytes: 8 << 20,
  ownBytes: 16 << 20,
  maxBytes: 128 << 20,
  maxMs: 65_000,
};

/** Memory limit for all rings together. While it is exceeded, each ring is limited to `ownBytes`. */
export class RingBudget {
  used = 0;
  readonly limit: number;

  constructor(limit: number) {
    this.limit = limit;
  }

  get isSpent(): boolean {
    return this.used > this.limit;
  }
}

/** Shared by all channels of this process. */
export const ringBudget = new RingBudget(Math.min(2 ** 31, Math.floor(totalmem() / 4)));
/** Additional memory that the SRT endpoint may use for its receivers. */
export const endpointRingBytes = Math.floor(ringBudget.limit / 2);

interface Slot<U extends Unit> {
  readonly unit: U;
  readonly at: number;
  /** When the content arrived. Earlier than `at` if a conversion started with buffered content. */
  readonly cameAt: number;
  /** Bytes pushed before this unit since the ring was created. */
  readonly offset: number;
}

export interface Skip {
  readonly units: number;
  readonly bytes: number;
}

/** Maximum initial lag of a reader that starts at the oldest unit, as a fraction of the lag limits. */
const startShare = 0.75;

/** How long a `look` counts as a reader, because the caller is expected to look again. */
const lookMs = 2000;

/** `from`: sequence number of the first unit of a reader that has everything before it. */
export type CursorStart = 'newest' | 'next' | 'oldest' | { readonly from: number };

export class Ring<U extends Unit> {
  private slots: Slot<U>[] = [];
  /** Sequence number of slots[head]. */
  private first = 0;
  private head = 0;
  private pushedBytes = 0;
  private entrySeq = -1;
  /** Where reading resumed after the last clear(); `count` is the number of clear() calls. */
  epoch: { readonly count: number; readonly seq: number; readonly offset: number } = { count: 0, seq: 0, offset: 0 };
  private readonly cursors = new Set<Cursor<U>>();
  private lookedAt = Number.NEGATIVE_INFINITY;
  /** Called in a microtask after a reader subscribes, when the reader has its cursor, and after a first look. */
  onReader: (() => void) | undefined;
  private readonly limits: RingLimits;
  readonly now: () => number;
  private readonly budget: RingBudget;
  /** Bytes of this ring included in `budget.used`. */
  private counted = 0;

  constructor(
    limits: RingLimits,
    now: () => number = performance.now.bind(performance),
    budget: RingBudget = ringBudget,
  ) {
    this.limits = limits;
    this.now = now;
    this.budget = budget;
  }

  /** Sequence number of the next pushed unit. */
  get next(): number {
    return this.first + this.slots.length - this.head;
  }

  /** Sequence number of the newest random access point still held, or -1. */
  get newestEntry(): number {
    return this.entrySeq >= this.first ? this.entrySeq : -1;
  }

  /**
   * Sequence number of the oldest random access point that a reader can start at, or -1 if there is no newest one.
   * Skips points that are nearly too late, because such a reader would skip forward before it has caught up.
   */
  get oldestEntry(): number {
    if (this.newestEntry < 0) return -1;
    for (let seq = this.first; seq < this.entrySeq; seq++) {
      if (this.at(seq)?.entryPoint && !this.isTooLate(seq, startShare)) return seq;
    }
    return this.entrySeq;
  }

  /** Bytes held now. */
  get heldBytes(): number {
    const oldest = this.slots[this.head];
    return oldest ? this.pushedBytes - oldest.offset : 0;
  }

  /** `cameAt`: when the content arrived, on the ring's clock; defaults to now. */
  push(unit: U, cameAt?: number): void {
    const at = this.now();
    if (unit.entryPoint) this.entrySeq = this.next;
    this.slots.push({ unit, at, cameAt: cameAt ?? at, offset: this.pushedBytes });
    this.pushedBytes += unit.bytes;
    this.evict(at);
  }

  /** Wakes every subscriber. Call it once per batch of pushes, not per unit. */
  notify(): void {
    for (const cursor of this.cursors) cursor.wake();
  }

  /**
   * Subscribes. `newest`: starts at the newest random access point held (fast start), else waits for the next one.
   * `next`: always waits, for receivers without flow control, which a burst would harm. `oldest`: starts with
   * everything held, for readers that keep a window. A subscriber that finds no random access point within
   * `entryWaitMs` starts without one. `wake` is called after each batch and must not throw.
   */
  subscribe(wake: () => void, start: CursorStart = 'newest', entryWaitMs = Number.POSITIVE_INFINITY): Cursor<U> {
    const cursor = new Cursor<U>(this, { wake, start, entryWaitMs, onClose: (gone) => this.cursors.delete(gone) });
    this.cursors.add(cursor);
    if (this.onReader) queueMicrotask(this.onReader);
    return cursor;
  }

  get subscribers(): number {
    return this.cursors.size;
  }

  /** Whether there is a cursor or a recent `look`. */
  get isRead(): boolean {
    return this.cursors.size > 0 || this.now() - this.lookedAt < lookMs;
  }

  /** Call before reading the newest group of pictures without a cursor: counts as a reader for `lookMs`. */
  look(): void {
    const wasRead = this.isRead;
    this.lookedAt = this.now();
    if (!wasRead && this.onReader) queueMicrotask(this.onReader);
  }

  /** Drops all units. Cursors remain; each one, caught up or not, resumes at the next random access point. */
  clear(): void {
    this.epoch = { count: this.epoch.count + 1, seq: this.next, offset: this.pushedBytes };
    this.first = this.next;
    this.slots = [];
    this.head = 0;
    this.entrySeq = -1;
    this.count();
  }

  /** The source ended: new subscribers get no fast start, existing ones still read to the end. */
  endEntry(): void {
    this.entrySeq = -1;
  }

  /** Drops units that are no longer needed. push() does this too; this is for a ring whose publisher is silent. */
  trim(): void {
    this.evict(this.now());
  }

  /** Bytes pushed before this sequence number since the ring was created, or before the nearest unit still held. */
  offsetOf(seq: number): number {
    return this.slots[this.head + Math.max(0, seq - this.first)]?.offset ?? this.pushedBytes;
  }

  at(seq: number): U | undefined {
    return this.slot(seq)?.unit;
  }

  /** Returns the sequence number of the newest unit that matches, or -1. */
  newest(matches: (unit: U) => boolean): number {
    for (let seq = this.next - 1; seq >= this.first; seq--) {
      const unit = this.at(seq);
      if (unit && matches(unit)) return seq;
    }
    return -1;
  }

  slot(seq: number): Slot<U> | undefined {
    return this.slots[this.head + seq - this.first];
  }

  oldest(): number {
    return this.first;
  }

  /** How far behind the newest byte a sequence number is. */
  lag(seq: number): { ms: number; bytes: number } {
    const slot = this.slots[this.head + Math.max(0, seq - this.first)];
    if (!slot) return { ms: 0, bytes: 0 };
    return { ms: this.now() - slot.at, bytes: this.pushedBytes - slot.offset };
  }

  /**
   * Whether a reader of this sequence number must skip: its unit is gone, or it lags too far and a newer random access
   * point is available. Within the newest group it may read on: the ring holds the group anyway, and a fast start into
   * a group longer than the lag limit must not be refused. `share`: fraction of the limits.
   */
  isTooLate(seq: number, share = 1): boolean {
    if (seq < this.first) return true;
    const slot = this.slots[this.head + seq - this.first];
    if (!slot || this.entrySeq <= seq) return false;
    const { lagMs, lagBytes } = this.limits;
    return this.now() - slot.at > share * lagMs || this.pushedBytes - slot.offset > share * lagBytes;
  }

  private evict(now: number): void {
    const { lagMs, lagBytes, ownBytes, maxBytes, maxMs } = this.limits;
    this.count();
    for (;;) {
      const oldest = this.slots[this.head];
      if (!oldest) break;
      const heldBytes = this.pushedBytes - oldest.offset;
      const age = now - oldest.at;
      const isNewest = this.slots.length - this.head === 1;
      const neededForLag = age <= lagMs && (heldBytes <= lagBytes || isNewest);
      // Eviction stops at the newest random access point. Once it is gone, its group is no use for a start.
      const neededForStart = this.first === this.entrySeq;
      const bytes = this.budget.isSpent ? ownBytes : maxBytes;
      const overHardBound = (heldBytes > bytes || age > maxMs) && !isNewest;
      if (!overHardBound && (neededForLag || neededForStart)) break;
      this.slots[this.head] = undefined as unknown as Slot<U>;
      this.head++;
      this.first++;
      this.count();
    }
    // Compact rarely: amortized O(1) per unit.
    if (this.head > 256 && this.head * 2 > this.slots.length) {
      this.slots = this.slots.slice(this.head);
      this.head = 0;
    }
  }

  private count(): void {
    const held = this.heldBytes;
    this.budget.used += held - this.counted;
    this.counted = held;
  }
}

function firstSeq(ring: Pick<Ring<Unit>, 'newestEntry' | 'oldestEntry'>, start: CursorStart): number {
  if (start === 'next') return -1;
  if (typeof start === 'object') return start.from;
  return start === 'newest' ? ring.newestEntry : ring.oldestEntry;
}

interface CursorOptions<U extends Unit> {
  readonly wake: () => void;
  readonly start: CursorStart;
  readonly entryWaitMs: number;
  readonly onClose: (cursor: Cursor<U>) => void;
}

export class Cursor<U extends Unit> {
  private readonly ring: Ring<U>;
  private readonly onClose: (cursor: Cursor<U>) => void;
  readonly wake: () => void;
  private readonly start: CursorStart;
  /** Next sequence number to read; -1 while waiting for a random access point. */
  private seq: number;
  private waitFrom: number;
  private readonly entryWaitMs: number;
  /** When the first unit after `waitFrom` was seen. */
  private waitsSince: number | undefined;
  private hasEntry = true;
  /** Arrival time of the last taken unit's content, on the ring's clock. */
  cameAt = 0;
  /** Bytes pushed before `seq`; remains valid after the unit itself is evicted. */
  private offset: number;
  private epochCount: number;
  private isBroken = true;
  private hasJumped = true;
  private skippedUnits = 0;
  private skippedBytes = 0;
  private skips = 0;

  constructor(ring: Ring<U>, { wake, start, entryWaitMs, onClose }: CursorOptions<U>) {
    this.ring = ring;
    this.wake = wake;
    this.start = start;
    this.entryWaitMs = entryWaitMs;
    this.onClose = onClose;
    this.seq = firstSeq(ring, start);
    this.isBroken = typeof start !== 'object';
    this.waitFrom = ring.next;
    this.offset = ring.offsetOf(this.seq < 0 ? ring.next : this.seq);
    this.epochCount = ring.epoch.count;
  }

  /** Returns the next unit, or undefined if there is none yet. Skips forward if the reader is too late. */
  take(): U | undefined {
    if (this.epochCount !== this.ring.epoch.count) this.startAgain();
    else if (this.seq === this.ring.next) return undefined;
    else if (this.seq >= 0 && this.ring.isTooLate(this.seq)) this.skipForward();
    if (this.seq < 0) this.begin();
    const slot = this.seq < 0 ? undefined : this.ring.slot(this.seq);
    if (!slot) return undefined;
    this.offset = slot.offset + slot.unit.bytes;
    this.cameAt = slot.cameAt;
    this.seq++;
    this.hasJumped = this.isBroken;
    this.isBroken = false;
    return slot.unit;
  }

  /** Whether the last taken unit did not follow the one before it: it was the first, or the first after a skip. */
  get jumped(): boolean {
    return this.hasJumped;
  }

  /** Whether reading started at a random access point, and not without one after `entryWaitMs`. */
  get beganAtEntry(): boolean {
    return this.hasEntry;
  }

  /** Whether every unit was taken. */
  get isLevel(): boolean {
    return this.seq === this.ring.next && this.epochCount === this.ring.epoch.count;
  }

  /** Backlog of this subscriber in milliseconds and bytes. */
  get lag(): { ms: number; bytes: number } {
    return this.seq < 0 ? { ms: 0, bytes: 0 } : this.ring.lag(this.seq);
  }

  /** Totals of what this subscriber lost by being slow. */
  get skipped(): Skip & { readonly times: number } {
    return { units: this.skippedUnits, bytes: this.skippedBytes, times: this.skips };
  }

  close(): void {
    this.onClose(this);
  }

  private begin(): void {
    const { next, now } = this.ring;
    const entry = this.entryFrom(this.waitFrom);
    if (next > this.waitFrom) this.waitsSince ??= now();
    if (entry < 0 && (this.waitsSince === undefined || now() - this.waitsSince < this.entryWaitMs)) return;
    this.hasEntry = entry >= 0;
    this.seq = this.hasEntry ? entry : next;
  }

  private skipForward(): void {
    const entry = this.ring.newestEntry;
    if (entry > this.seq) {
      this.lose(entry, this.ring.offsetOf(entry));
      this.seq = entry;
      return;
    }
    // Its group fell out of the ring and no newer one is held: wait for the next.
    this.lose(this.ring.next, this.ring.offsetOf(this.ring.next));
    this.waitBehind(this.ring.next);
  }

  private waitBehind(seq: number): void {
    this.waitFrom = seq;
    this.waitsSince = undefined;
    this.seq = -1;
  }

  private startAgain(): void {
    const { count, seq, offset } = this.ring.epoch;
    if (this.seq >= 0 && this.seq < seq) this.lose(seq, offset);
    this.isBroken = true;
    this.epochCount = count;
    this.waitBehind(seq);
  }

  private lose(untilSeq: number, untilOffset: number): void {
    this.skips++;
    this.skippedUnits += untilSeq - this.seq;
    this.skippedBytes += untilOffset - this.offset;
    this.isBroken = true;
  }

  private entryFrom(from: number): number {
    const oldest = this.start === 'oldest' ? this.ring.oldestEntry : -1;
    const entry = oldest >= from ? oldest : this.ring.newestEntry;
    return entry >= from ? entry : -1;
  }
}
