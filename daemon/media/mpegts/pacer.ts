/**
 * Gives a transport stream out at the speed of its own clock (PCR), however it came in: HLS brings seconds at once, a
 * network jitters, a server may send a file as fast as it can. Held back is at most what `isFull` allows, if its writer
 * heeds that.
 */
import { packetSize, pidOf, syncByte } from './packet.ts';
import { pcrOf, pcrWrapMs } from './pcr.ts';

export interface PacerClock {
  now(): number;
  after(ms: number, call: () => void): { cancel(): void };
}

export interface PacerOptions {
  /** How long the first bytes wait, so that later ones may be that late. */
  readonly delayMs: number;
  /** Bytes that are due; whole packets where the stream is one. */
  readonly emit: (bytes: Uint8Array) => void;
  readonly clock?: PacerClock;
}

export interface TsPacer {
  /** Keeps the buffer. */
  write(bytes: Uint8Array): void;
  /** Resolves when there is room again; at once while there is. */
  room(): Promise<void>;
  /** Resolves when everything is out. */
  drained(): Promise<void>;
  /** How much is held before the writer should wait. */
  capacityMs: number;
  /** More than this in hand at all times is given back, slowly. */
  keepMs: number;
  readonly heldMs: number;
  close(): void;
}

interface Piece {
  readonly bytes: Uint8Array;
  readonly mediaMs: number;
}

const maxHeldBytes = 32 << 20;
const usualCapacityMs = 5000;
/** A step of the clock beyond this is a new clock, not a pause. */
const maxStepMs = 2000;
/** Stands in for the unknown step from one clock to another. */
const unknownStepMs = 40;
/** Underrun beyond this: the source paused, gather anew. */
const pausedMs = 500;
const slackMs = 300;
const lookEveryMs = 5000;
/** Nobody sees or hears one per cent; it gives back a second in under two minutes. */
const catchUpSpeed = 1.01;
/** PCRs of another PID after which the old one is taken for gone. */
const strangersBeforeSwitch = 50;

const realClock: PacerClock = {
  now: () => performance.now(),
  after(ms, call) {
    const timer = setTimeout(call, ms);
    return { cancel: () => clearTimeout(timer) };
  },
};

export function createTsPacer({ delayMs, emit, clock = realClock }: PacerOptions): TsPacer {
  return new Pacer(delayMs, emit, clock);
}

class Pacer implements TsPacer {
  capacityMs = usualCapacityMs;
  keepMs: number;
  private readonly delayMs: number;
  private readonly emit: (bytes: Uint8Array) => void;
  private readonly clock: PacerClock;
  private pieces: Piece[] = [];
  private heldBytes = 0;
  private remainder = new Uint8Array(0);
  private pcrPid = -1;
  private strangers = 0;
  private lastPcr = 0;
  /** Time of the stream, without the leaps of its clock. */
  private mediaMs = 0;
  private anchor: { readonly mediaMs: number; readonly wallMs: number } | undefined;
  private speed = 1;
  private timer: { cancel(): void } | undefined;
  private roomWaiters: (() => void)[] = [];
  private drainWaiters: (() => void)[] = [];
  /** What was in hand at least, since the last look. */
  private leastHeldMs = Number.POSITIVE_INFINITY;
  private lookAt = 0;
  private wasFull = false;
  private isClosed = false;

  constructor(delayMs: number, emit: (bytes: Uint8Array) => void, clock: PacerClock) {
    this.delayMs = delayMs;
    this.keepMs = delayMs + slackMs;
    this.emit = emit;
    this.clock = clock;
  }

  get heldMs(): number {
    const first = this.pieces[0];
    return first ? this.mediaMs - first.mediaMs : 0;
  }

  write(input: Uint8Array): void {
    if (this.isClosed || input.length === 0) return;
    const data = this.remainder.length > 0 ? Buffer.concat([this.remainder, input]) : input;
    const end = this.cut(data);
    this.remainder = new Uint8Array(data.subarray(end));
    this.run();
  }

  async room(): Promise<void> {
    while (this.isFull && !this.isClosed) {
      this.wasFull = true;
      await new Promise<void>((resolve) => this.roomWaiters.push(resolve));
    }
  }

  async drained(): Promise<void> {
    if (this.pieces.length === 0 || this.isClosed) return;
    await new Promise<void>((resolve) => this.drainWaiters.push(resolve));
  }

  close(): void {
    this.isClosed = true;
    this.timer?.cancel();
    this.pieces = [];
    this.wake(this.roomWaiters);
    this.wake(this.drainWaiters);
  }

  private get isFull(): boolean {
    return this.heldBytes > maxHeldBytes || this.heldMs > this.capacityMs + this.delayMs;
  }

  /** Queues all whole packets, in pieces that begin where the clock is told. Answers where they end. */
  private cut(data: Uint8Array): number {
    let from = 0;
    let at = 0;
    while (at + packetSize <= data.length) {
      if (data[at] !== syncByte) {
        // Not ours to mend: the sink finds the packets and counts what lies between.
        at++;
        continue;
      }
      const pcr = pcrOf(data, at);
      if (pcr !== undefined && this.isClockOf(pidOf(data, at))) {
        this.push(data.subarray(from, at));
        from = at;
        this.advance(pcr);
      }
      at += packetSize;
    }
    this.push(data.subarray(from, at));
    return at;
  }

  private isClockOf(pid: number): boolean {
    if (pid !== this.pcrPid && this.pcrPid >= 0 && ++this.strangers < strangersBeforeSwitch) return false;
    this.pcrPid = pid;
    this.strangers = 0;
    return true;
  }

  private advance(pcr: number): void {
    const step = (((pcr - this.lastPcr) % pcrWrapMs) + pcrWrapMs) % pcrWrapMs;
    this.lastPcr = pcr;
    if (!this.anchor) {
      this.anchor = { mediaMs: this.mediaMs, wallMs: this.clock.now() + this.delayMs };
      return;
    }
    this.mediaMs += step <= maxStepMs ? step : unknownStepMs;
    this.checkTime(this.anchor);
  }

  /** What comes now must not be due already; and when it never comes close to that, something can be given back. */
  private checkTime(anchor: NonNullable<Pacer['anchor']>): void {
    const now = this.clock.now();
    const aheadMs = anchor.wallMs + (this.mediaMs - anchor.mediaMs) / this.speed - now;
    if (aheadMs < 0) {
      this.anchor = { mediaMs: this.mediaMs, wallMs: now + (aheadMs < -pausedMs ? this.delayMs : 0) };
      this.speed = 1;
    }
    this.leastHeldMs = Math.min(this.leastHeldMs, Math.max(0, aheadMs));
    if (now < this.lookAt) return;
    const isGenerous = !this.wasFull && this.leastHeldMs > this.keepMs && this.lookAt > 0;
    this.setSpeed(isGenerous ? catchUpSpeed : 1, now);
    this.lookAt = now + lookEveryMs;
    this.leastHeldMs = Number.POSITIVE_INFINITY;
    this.wasFull = false;
  }

  private setSpeed(speed: number, now: number): void {
    if (speed === this.speed || !this.anchor) return;
    const mediaMs = this.anchor.mediaMs + (now - this.anchor.wallMs) * this.speed;
    this.anchor = { mediaMs, wallMs: now };
    this.speed = speed;
  }

  private push(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.pieces.push({ bytes, mediaMs: this.mediaMs });
    this.heldBytes += bytes.length;
  }

  /** Gives out what is due and sets the alarm for what comes next. */
  private run(): void {
    this.timer?.cancel();
    this.timer = undefined;
    const now = this.clock.now();
    let count = 0;
    for (const { bytes, mediaMs } of this.pieces) {
      if (this.dueIn(mediaMs, now) > 0) break;
      count++;
      this.heldBytes -= bytes.length;
    }
    for (const { bytes } of this.pieces.splice(0, count)) {
      if (!this.isClosed) this.emit(bytes);
    }
    if (!this.isFull) this.wake(this.roomWaiters);
    const next = this.pieces[0];
    if (!next) this.wake(this.drainWaiters);
    else if (!this.isClosed)
      this.timer = this.clock.after(Math.max(1, this.dueIn(next.mediaMs, now)), () => this.run());
  }

  /** Before the clock is known nothing waits. */
  private dueIn(mediaMs: number, now: number): number {
    if (!this.anchor) return 0;
    return this.anchor.wallMs + (mediaMs - this.anchor.mediaMs) / this.speed - now;
  }

  private wake(waiters: (() => void)[]): void {
    for (const wake of waiters.splice(0)) wake();
  }
}
