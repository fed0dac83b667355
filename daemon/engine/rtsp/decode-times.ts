/**
 * Computes decoding times of pictures that arrive in decoding order. RTP carries presentation times only. With a
 * reorder depth of n, the k-th picture in decoding order is decoded when picture k - n in output order is shown.
 */

/** The largest decoded picture buffer of H.264 and HEVC. */
const maxDepth = 16;
const guessedFrameTicks = 3600;

export class DecodeTimes {
  private depth = 0;
  /** Presentation times that have not yet served as a decoding time, ascending. */
  private waiting: number[] = [];
  /** Presentation times of the last pictures, in decoding order. */
  private recent: number[] = [];
  private last = Number.NEGATIVE_INFINITY;

  /** Sets a minimum reorder depth from the parameter set. `take` raises it if the pictures need more. */
  declare(depth: number): void {
    if (depth > this.depth) this.depth = depth;
  }

  /** `pts`: 90 kHz ticks. */
  take(pts: number) {
    const precedingButLater = this.recent.filter((time) => time > pts).length;
    this.depth = Math.max(this.depth, Math.min(precedingButLater, maxDepth));
    this.recent.push(pts);
    if (this.recent.length > maxDepth) this.recent.shift();
    this.waiting.push(pts);
    this.waiting.sort((a, b) => a - b);
    const missing = this.depth + 1 - this.waiting.length;
    const first = this.waiting[0] ?? pts;
    if (missing <= 0) this.waiting.splice(0, 1 - missing);
    const at = missing > 0 ? first - missing * guessedFrameTicks : first;
    this.last = Math.max(at, this.last + 1);
    return { dts: this.last, pts: Math.max(pts, this.last) };
  }

  /** Forgets all times, because those that follow are unrelated. */
  restart(): void {
    this.waiting = [];
    this.recent = [];
  }
}
