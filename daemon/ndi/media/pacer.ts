/**
 * Determines when frames of a stream are sent, so that receivers, which show them at once, see an even motion. Frames
 * come from FFmpeg in bursts, and by the clock of the encoder, which is not ours.
 */

/** All times in milliseconds. */
export interface PacerTiming {
  /** How long a frame waits before it is sent: what the stream may be late. */
  readonly delayMs: number;
  /** If frames wait longer than `delayMs` by this, the waiting ones are skipped. */
  readonly excessMs: number;
}

const adjustEveryMs = 1000;
/** Per adjustment: 2 ms per second is more than any two clocks differ. */
const stepMs = 2;
/** A deviation of the delay that is left alone. */
const slackMs = 20;

export class Pacer {
  readonly #timing: PacerTiming;
  /** Time of sending of a frame with time 0. */
  #base: number | undefined;
  #adjustedAt = 0;
  /** The shortest time that a frame waited since. */
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

  /** When to send it. */
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
