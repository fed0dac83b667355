/**
 * One clock per channel. A publisher counts its milliseconds from wherever it likes, again from zero after a reconnect,
 * and modulo 2^32; players must see one line that only goes forward.
 */

/** A step back further than this is a new time base; less is audio and video that were not quite in order. */
const maxBackMs = 1000;
/** A step forward further than this, beyond the time that really passed, is a new time base too. */
const maxForwardMs = 10_000;

/** A type that was silent for longer has no line of its own to go on. */
const staleMs = 5000;

/** A timestamp and what became of it. */
interface Point {
  readonly in: number;
  readonly mapped: number;
  readonly at: number;
}

export class Timeline {
  private readonly now: () => number;
  private hasOutput = false;
  private isSessionFresh = true;
  private last: Point = { in: 0, mapped: 0, at: 0 };
  private readonly lastByType = new Map<number, Point>();
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
    if (this.isSessionFresh) this.lastByType.clear();
    const mapped = this.place(type, timestamp, at);
    this.hasOutput = true;
    this.isSessionFresh = false;
    this.last = { in: timestamp, mapped, at };
    this.lastByType.set(type, this.last);
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
    return this.after(this.last, timestamp, this.now()) ?? this.highest;
  }

  private place(type: number, timestamp: number, at: number): number {
    if (!this.hasOutput) return timestamp;
    if (this.isSessionFresh) return this.resumeAt(at);
    // Sound may lag its picture by more than a step back, and the two change their time base one after the other: each
    // type may go on from its own last time, or from where another one went.
    const own = this.lastByType.get(type);
    const next = this.after(this.last, timestamp, at);
    if (next !== undefined) return next;
    for (const point of [...(own ? [own] : []), ...this.lastByType.values()]) {
      const mapped = at - point.at < staleMs ? this.after(point, timestamp, at) : undefined;
      if (mapped !== undefined) return mapped;
    }
    this.jumpCount++;
    return this.resumeAt(at);
  }

  /** Channel time of a timestamp that goes on from that point; undefined when it doesn't. */
  private after(point: Point, timestamp: number, at: number): number | undefined {
    // Signed 32-bit difference: right across the wrap after 49.7 days.
    const delta = (timestamp - point.in) | 0;
    return this.isSteady(delta, at) ? Math.max(0, point.mapped + delta) : undefined;
  }

  private isSteady(delta: number, at: number): boolean {
    return delta >= -maxBackMs && delta <= maxForwardMs + (at - this.lastAt);
  }

  private resumeAt(at: number): number {
    return this.highest + Math.max(1, Math.round(at - this.lastAt));
  }
}
