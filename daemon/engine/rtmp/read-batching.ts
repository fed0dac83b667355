/**
 * Decides how many bytes of a publisher must arrive before its socket is read. Each read wakes the process, which costs
 * more than the bytes themselves, and most reads would find nothing that can be forwarded:
 *
 * - The rest of a message, which cannot be forwarded before it is whole.
 * - Audio between two pictures, which is read together with the next picture, after `maxWaitMs` at the latest.
 */
import type { AlarmClock } from '../bus/alarm-clock.ts';
import { type MediaMessageType, messageType } from '../flv/flv-bus.ts';

/** Longer than the interval of pictures at 24 Hz, 42 ms. */
const maxWaitMs = 45;
/** Far below the kernel's receive buffer, which must never be full before the mark is reached. */
const maxMarkBytes = 32 << 10;
/** By how much the estimate of the smallest picture grows with each picture. */
const growth = 9 / 8;

export class ReadBatching {
  private readonly setMark: (bytes: number) => void;
  private readonly clock: AlarmClock;
  private mark = 1;
  private alarm: ReturnType<AlarmClock['after']> | undefined;
  private hasPicture = false;
  private isOff = false;
  /** Estimate of the smallest recent picture. */
  private smallestPicture = 0;

  /** `setMark`: sets how many bytes must arrive before the socket is read. */
  constructor(setMark: (bytes: number) => void, clock: AlarmClock) {
    this.setMark = setMark;
    this.clock = clock;
  }

  /** A message of this size was read. */
  message(type: MediaMessageType, bytes: number): void {
    if (type !== messageType.video) return;
    this.hasPicture = true;
    this.smallestPicture = this.smallestPicture === 0 ? bytes : Math.min(bytes, this.smallestPicture * growth);
  }

  /** Called after each read. `missingBytes`: what the unfinished message lacks. */
  afterRead(missingBytes: number): void {
    if (this.isOff) return;
    const bytes = missingBytes > 0 ? missingBytes : this.hasPicture ? this.belowPictures() : 1;
    if (missingBytes === 0) this.hasPicture = false;
    this.change(Math.min(bytes, maxMarkBytes));
    this.alarm?.cancel();
    this.alarm = this.mark > 1 ? this.clock.after(maxWaitMs, () => this.readAll()) : undefined;
  }

  /** Every byte is read as soon as it arrives. */
  stop(): void {
    this.alarm?.cancel();
    this.readAll();
    this.isOff = true;
  }

  resume(): void {
    this.isOff = false;
  }

  private readAll(): void {
    this.alarm = undefined;
    this.hasPicture = false;
    this.change(1);
  }

  /** A power of two, so that it seldom changes; at most half a picture, so that the next one does not wait. */
  private belowPictures(): number {
    return 2 ** Math.max(0, Math.floor(Math.log2(this.smallestPicture / 2)));
  }

  private change(mark: number): void {
    if (mark === this.mark) return;
    this.mark = mark;
    this.setMark(mark);
  }
}
