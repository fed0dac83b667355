/**
 * One clock per channel. A publisher counts its milliseconds from wherever it likes, again from zero after a reconnect,
 * and modulo 2^32; players must see one line that only goes forward.
 */

/** A step back further than this is a new time base; less is audio and video that were not quite in order. */
const maxBackMs = 1000;
/** A step forward further than this, beyond the time that really passed, is a new time base too. */
const maxForwardMs = 10_000;

export class Timeline {
  private readonly now: () => number;
  private hasOutput = false;
  private isSessionFresh = true;
  private lastIn = 0;
  private lastMapped = 0;
  private highest = 0;
  private lastAt = 0;
  private readonly highestByType = new Map<number, number>();
  private jumpCount = 0;

  constructor(now: () => number = performance.now.bind(performance)) {
    this.now = now;
  }

  /** Time bases that changed inside a session. */
  get jumps(): number {
    return this.jumpCount;
  }

  /** The next frame begins a new session: it continues after the last one, with the time in between left free. */
  beginSession(): void {
    this.isSessionFresh = true;
  }

  /** Channel time of a coded frame. Frames of one type never go back. Not yet cut to 32 bits. */
  map(type: number, timestamp: number): number {
    const at = this.now();
    const mapped = this.place(timestamp, at);
    this.hasOutput = true;
    this.isSessionFresh = false;
    this.lastIn = timestamp;
    this.lastMapped = mapped;
    this.lastAt = at;
    const out = Math.max(mapped, this.highestByType.get(type) ?? 0);
    this.highestByType.set(type, out);
    this.highest = Math.max(this.highest, out);
    return out;
  }

  /**
   * Channel time of headers and data. Encoders stamp these with anything, often 0 in mid-stream, so they follow the
   * frames and never move the clock.
   */
  near(timestamp: number): number {
    if (!this.hasOutput) return timestamp;
    if (this.isSessionFresh) return this.resumeAt(this.now());
    const delta = (timestamp - this.lastIn) | 0;
    return this.isSteady(delta, this.now()) ? Math.max(0, this.lastMapped + delta) : this.highest;
  }

  private place(timestamp: number, at: number): number {
    if (!this.hasOutput) return timestamp;
    if (this.isSessionFresh) return this.resumeAt(at);
    // Signed 32-bit difference: right across the wrap after 49.7 days.
    const delta = (timestamp - this.lastIn) | 0;
    if (this.isSteady(delta, at)) return Math.max(0, this.lastMapped + delta);
    this.jumpCount++;
    return this.resumeAt(at);
  }

  private isSteady(delta: number, at: number): boolean {
    return delta >= -maxBackMs && delta <= maxForwardMs + (at - this.lastAt);
  }

  private resumeAt(at: number): number {
    return this.highest + Math.max(1, Math.round(at - this.lastAt));
  }
}
