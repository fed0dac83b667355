/**
 * One clock per channel. A publisher counts its milliseconds from any start, again from zero after a reconnect, and modulo
 * 2^32; players must see one line that only goes forward.
 *
 * Frames of one type arrive in decoding order, so a type's own last frame tells whether its clock was set. A type whose
 * clock was set goes on from its own last time; one that follows takes the same offset, so that sound and picture stay
 * as far apart as the publisher has them, however far apart they arrive.
 */

/** The message type of sound (`messageType`, whose module imports this one). */
const sound = 8;
/** Tracks of one type are not in order among each other by so much. */
const maxDisorderMs = 100;
/** A step that exceeds the time that really passed by more than this, and than two usual steps, is a clock that was set. */
const maxLeapMs = 500;
/** A longer step is a pause, not a usual one. */
const maxUsualStepMs = 5000;
/** Sound and picture of one clock may arrive so far apart: multiplexes buffer pictures for 1 to 2 s, others for more. */
const maxApartMs = 10_000;
/** The clock of the other type may have been set by other jitter than this one's. */
const maxMismatchMs = 1000;
/** A type that was silent for longer has no line of its own to go on. */
const staleMs = 5000;

/** What the times of a publisher are shifted by until it sets its clock; told apart by identity. */
type Base = object;

/** A timestamp and what became of it. */
interface Point {
  readonly base: Base;
  readonly in: number;
  readonly mapped: number;
  readonly at: number;
  /** From the frame before of the same type. */
  readonly step: number;
}

export class Timeline {
  private readonly now: () => number;
  private hasOutput = false;
  private isSessionFresh = true;
  private last: Point = { base: {}, in: 0, mapped: 0, at: 0, step: 0 };
  private readonly lastByType = new Map<number, Point>();
  private highest = 0;
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

  /**
   * Returns the channel time of a coded frame, not yet cut to 32 bits. Frames of one type never go back. Undefined: sound
   * that belongs to a time for which there was sound already.
   */
  map(type: number, timestamp: number): number | undefined {
    const at = this.now();
    if (this.isSessionFresh) this.lastByType.clear();
    const own = this.lastByType.get(type);
    const point = this.place(own, timestamp, at);
    this.hasOutput = true;
    this.isSessionFresh = false;
    this.last = point;
    this.lastByType.set(type, point);
    return this.forward(type, point, own);
  }

  /**
   * Channel time of headers and data. Encoders stamp these with anything, often 0 in mid-stream, so they follow the
   * frames and never move the clock.
   */
  near(timestamp: number): number {
    if (!this.hasOutput) return timestamp;
    if (this.isSessionFresh) return this.resumeAt(this.now());
    const { last } = this;
    const delta = stepOf(last.in, timestamp);
    const isNear = delta >= -maxMismatchMs && delta <= maxApartMs + (this.now() - last.at);
    return isNear ? Math.max(0, last.mapped + delta) : this.highest;
  }

  private place(own: Point | undefined, timestamp: number, at: number): Point {
    if (!this.hasOutput) return { base: {}, in: timestamp, mapped: timestamp, at, step: 0 };
    const from = this.isSessionFresh ? undefined : (goesOn(own, timestamp, at) ?? this.reference(own, timestamp, at));
    if (from) {
      const step = from === own ? Math.min(stepOf(own.in, timestamp), maxUsualStepMs) : (own?.step ?? 0);
      return { base: from.base, in: timestamp, mapped: from.mapped + stepOf(from.in, timestamp), at, step };
    }
    if (!this.isSessionFresh) this.jumpCount++;
    const mapped = own && at - own.at < staleMs ? own.mapped + passed(own, at) : this.resumeAt(at);
    return { base: {}, in: timestamp, mapped, at, step: own?.step ?? 0 };
  }

  /** The point of another type from which a frame goes on that doesn't follow the last one of its own. */
  private reference(own: Point | undefined, timestamp: number, at: number): Point | undefined {
    for (const point of this.lastByType.values()) {
      if (point === own || at - point.at >= staleMs) continue;
      const delta = stepOf(point.in, timestamp);
      if (delta < -maxApartMs || delta > maxApartMs + (at - point.at)) continue;
      if (!own || at - own.at >= staleMs) return point;
      const step = point.mapped + delta - own.mapped;
      // On the same clock a frame is missing where the other type goes on; else the other type's clock was set before.
      const fits =
        point.base === own.base
          ? step > 0 && delta <= maxLeapMs + (at - point.at)
          : Math.abs(step - (at - own.at)) <= maxMismatchMs;
      if (fits) return point;
    }
    return undefined;
  }

  private forward(type: number, { in: timestamp, mapped }: Point, own: Point | undefined): number | undefined {
    const highest = this.highestByType.get(type) ?? 0;
    let out = mapped;
    if (mapped < highest) {
      if (type === sound && highest - mapped > maxDisorderMs) return undefined;
      // What catches up never stands still: decoders want times that grow.
      out = own && stepOf(own.in, timestamp) > 0 ? highest + 1 : highest;
    }
    this.highestByType.set(type, out);
    this.highest = Math.max(this.highest, out);
    return out;
  }

  private resumeAt(at: number): number {
    return this.highest + passed(this.last, at);
  }
}

/** The point itself, when a frame of its type with this timestamp goes on from there. */
function goesOn(own: Point | undefined, timestamp: number, at: number): Point | undefined {
  if (!own) return undefined;
  const step = stepOf(own.in, timestamp);
  const most = at - own.at + Math.max(maxLeapMs, 2 * own.step);
  return step >= -maxDisorderMs && step <= most ? own : undefined;
}

/** Signed 32-bit difference: right across the wrap after 49.7 days. */
function stepOf(from: number, to: number): number {
  return (to - from) | 0;
}

/** Milliseconds that really passed, at least one. */
function passed(point: Point, at: number): number {
  return Math.max(1, Math.round(at - point.at));
}
