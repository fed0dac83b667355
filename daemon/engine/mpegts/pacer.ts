/**
 * Releases a transport stream at the speed of its own clock (PCR), however it arrived: HLS delivers seconds at once,
 * networks jitter, and a server may send a file as fast as it can. What is held is limited by `isFull`, if the writer
 * waits for room().
 */
import { type AlarmClock, realClock } from '../bus/alarm-clock.ts';
import { ClockCutter } from './clock-cutter.ts';

interface PacerOptions {
  /** How long the first bytes wait, which is how late later ones may be. */
  readonly delayMs: number;
  /** Receives bytes that are due; whole packets, if the data is a transport stream. */
  readonly emit: (bytes: Uint8Array) => void;
  readonly clock?: AlarmClock;
}

interface Piece {
  readonly bytes: Uint8Array;
  readonly mediaMs: number;
}

const maxHeldBytes = 32 << 20;
const usualCapacityMs = 5000;
/** An underrun beyond this means that the source paused: fill the buffer again. */
const pausedMs = 500;
const slackMs = 300;
const lookEveryMs = 5000;
/** One percent is imperceptible, and catches up one second in under two minutes. */
const catchUpSpeed = 1.01;

export class TsPacer {
  /** Amount of buffered media at which the writer should wait. */
  capacityMs = usualCapacityMs;
  /** If more than this is buffered at all times, the excess is slowly reduced. */
  keepMs: number;
  private readonly delayMs: number;
  private readonly emit: (bytes: Uint8Array) => void;
  private readonly clock: AlarmClock;
  private pieces: Piece[] = [];
  private heldBytes = 0;
  private readonly cutter = new ClockCutter({
    piece: (bytes) => this.push(bytes),
    clock: (stepMs) => this.advance(stepMs),
  });
  /** Stream time without the jumps of its clock. */
  private mediaMs = 0;
  private anchor: { readonly mediaMs: number; readonly wallMs: number } | undefined;
  private speed = 1;
  private timer: { cancel(): void } | undefined;
  private roomWaiters: (() => void)[] = [];
  private drainWaiters: (() => void)[] = [];
  /** Minimum that was buffered since the last check. */
  private leastHeldMs = Number.POSITIVE_INFINITY;
  private lookAt = 0;
  private wasFull = false;
  private isClosed = false;

  constructor({ delayMs, emit, clock = realClock }: PacerOptions) {
    this.delayMs = delayMs;
    this.keepMs = delayMs + slackMs;
    this.emit = emit;
    this.clock = clock;
  }

  get heldMs(): number {
    const first = this.pieces[0];
    return first ? this.mediaMs - first.mediaMs : 0;
  }

  /** Does not copy the buffer, which must not be reused. */
  write(input: Uint8Array): void {
    if (this.isClosed || input.length === 0) return;
    this.cutter.write(input);
    this.run();
  }

  /** Resolves when there is room; immediately if there is already. */
  async room(): Promise<void> {
    while (this.isFull && !this.isClosed) {
      this.wasFull = true;
      await new Promise<void>((resolve) => this.roomWaiters.push(resolve));
    }
  }

  /** Resolves when everything has been emitted. */
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

  private advance(stepMs: number): void {
    if (!this.anchor) {
      this.anchor = { mediaMs: this.mediaMs, wallMs: this.clock.now() + this.delayMs };
      return;
    }
    this.mediaMs += stepMs;
    this.checkTime(this.anchor);
  }

  /** New data must not be due already. If it is always far from due, the delay can be reduced. */
  private checkTime(anchor: NonNullable<TsPacer['anchor']>): void {
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
    this.pieces.push({ bytes, mediaMs: this.mediaMs });
    this.heldBytes += bytes.length;
  }

  /** Emits what is due and sets the timer for the next piece. */
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

  /** Nothing waits before the clock is known. */
  private dueIn(mediaMs: number, now: number): number {
    if (!this.anchor) return 0;
    return this.anchor.wallMs + (mediaMs - this.anchor.mediaMs) / this.speed - now;
  }

  private wake(waiters: (() => void)[]): void {
    for (const wake of waiters.splice(0)) wake();
  }
}
