/**
 * Determines when the frames of a stream are sent, so that motion is even at receivers, which show frames at once.
 * FFmpeg delivers frames in bursts, and at the rate of the encoder's clock, which differs from ours.
 */

/** All times in milliseconds. */
export interface PacerTiming {
  /** How long a frame waits before it is sent, so that the stream may be late by this time. */
  readonly delayMs: number;
  /** A frame that would wait longer than `delayMs` by more than this is due after `delayMs`, those before it at once. */
  readonly excessMs: number;
}

const adjustEveryMs = 1000;
/** Per adjustment: 2 ms per second is more than any two clocks differ. */
const stepMs = 2;
/** A deviation of the delay that is not corrected. */
const slackMs = 20;

export class Pacer {
  readonly #timing: PacerTiming;
  /** When a frame with time 0 is due. */
  #base: number | undefined;
  #adjustedAt = 0;
  /** The shortest time that a frame has waited since the last adjustment. */
  #wait = Number.POSITIVE_INFINITY;

  constructor(timing: PacerTiming) {
    this.#timing = timing;
  }

  /** Notes that a frame arrived `now`. */
  arrived(time: number, now: number): void {
    const { delayMs, excessMs } = this.#timing;
    if (this.#base === undefined) {
      this.#base = now + delayMs - time;
      this.#adjustedAt = now;
    }
    const wait = this.#base + time - now;
    // Late: the stream was interrupted, or its beginning was slow. Far too early: its clock was set, or it caught up.
    if (wait < 0 || wait > delayMs + excessMs) {
      this.#base += delayMs - wait;
      this.#wait = Number.POSITIVE_INFINITY;
      return;
    }
    this.#wait = Math.min(this.#wait, wait);
    if (now - this.#adjustedAt >= adjustEveryMs) this.#adjust(now);
  }

  /** Returns when to send the frame with this time. */
  dueAt(time: number): number {
    return (this.#base ?? 0) + time;
  }

  #adjust(now: number): void {
    const off = this.#wait - this.#timing.delayMs;
    if (this.#base !== undefined && Number.isFinite(off)) {
      if (off > slackMs) this.#base -= stepMs;
      // In bursts, some frames wait less than the others.
      else if (off < -this.#timing.delayMs / 2) this.#base += stepMs;
    }
    this.#adjustedAt = now;
    this.#wait = Number.POSITIVE_INFINITY;
  }
}
