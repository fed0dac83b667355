/**
 * One clock per channel. A publisher's timestamps are milliseconds from any origin, restart from zero after a
 * reconnect, and are modulo 2^32; players must see one timeline that only moves forward.
 *
 * Frames of one type arrive in decoding order, so the last frame of a type shows whether its clock was reset. A type
 * whose clock was reset continues from its own last time. The other type then takes the same offset, so that audio and
 * video keep the distance that they have at the publisher, however far apart they arrive.
 */

/** Message type of audio (`messageType`, whose module imports this one). */
const sound = 8;
/** Tracks of one type may be out of order by this much relative to each other. */
const maxDisorderMs = 100;
/** A step that exceeds the elapsed time by more than this, and by more than two usual steps, means a clock reset. */
const maxLeapMs = 500;
/** A longer step is a pause, not a usual one. */
const maxUsualStepMs = 5000;
/** Audio and video of one clock may arrive this far apart: multiplexers buffer video for 1 to 2 s, some for longer. */
const maxApartMs = 10_000;
/** Difference due to jitter between the clock resets of the two types. */
const maxMismatchMs = 1000;
/** A type that was silent for longer does not continue its own timeline. */
const staleMs = 5000;

/** Identifies a publisher's time offset until its clock is reset; compared by identity. */
type Base = object;

export interface TrackMapping {
  /** Of the last frame, as the publisher sent it. */
  readonly timestamp: number;
  /** To be added modulo 2^32. */
  readonly offset: number;
}

/** A timestamp and its mapping. */
interface Point {
  readonly base: Base;
  readonly in: number;
  readonly mapped: number;
  readonly at: number;
  /** From the previous frame of the same type. */
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
  /** Number of clock resets within sessions. */
  jumps = 0;

  constructor(now: () => number = performance.now.bind(performance)) {
    this.now = now;
  }

  /** The next frame begins a new session. It continues after the last one, plus the time that has elapsed. */
  beginSession(): void {
    this.isSessionFresh = true;
  }

  /**
   * Returns the channel time of a coded frame, not yet reduced to 32 bits. Frames of one type never go back. Returns
   * undefined for audio at a time for which there was audio already.
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
   * Returns the channel time of headers and data. Encoders give these arbitrary timestamps, often 0 in mid-stream, so
   * they follow the frames and never move the clock.
   */
  near(timestamp: number): number {
    if (!this.hasOutput) return timestamp;
    if (this.isSessionFresh) return this.resumeAt(this.now());
    const { last } = this;
    const delta = stepOf(last.in, timestamp);
    const isNear = delta >= -maxMismatchMs && delta <= maxApartMs + (this.now() - last.at);
    return isNear ? Math.max(0, last.mapped + delta) : this.highest;
  }

  /**
   * Returns how the timestamps of a type are mapped as long as each is followed by one that is no smaller and at most
   * `maxLeapMs` later. Undefined if the type does not continue its own timeline now.
   */
  mapping(type: number): TrackMapping | undefined {
    const own = this.isSessionFresh ? undefined : this.lastByType.get(type);
    if (!own || own.mapped !== this.highestByType.get(type)) return undefined;
    return { timestamp: own.in, offset: (own.mapped - own.in) >>> 0 };
  }

  /**
   * Frames of this type up to this timestamp were mapped elsewhere, as `mapping` describes. Returns the channel time of
   * the last one; undefined if there was none.
   */
  skip(type: number, timestamp: number): number | undefined {
    const own = this.lastByType.get(type);
    if (!own) return undefined;
    const mapped = own.mapped + stepOf(own.in, timestamp);
    this.last = { ...own, in: timestamp, mapped, at: this.now() };
    this.lastByType.set(type, this.last);
    this.highestByType.set(type, mapped);
    this.highest = Math.max(this.highest, mapped);
    return mapped;
  }

  private place(own: Point | undefined, timestamp: number, at: number): Point {
    if (!this.hasOutput) return { base: {}, in: timestamp, mapped: timestamp, at, step: 0 };
    const from = this.isSessionFresh ? undefined : (goesOn(own, timestamp, at) ?? this.reference(own, timestamp, at));
    if (from) {
      const step = from === own ? Math.min(stepOf(own.in, timestamp), maxUsualStepMs) : (own?.step ?? 0);
      return { base: from.base, in: timestamp, mapped: from.mapped + stepOf(from.in, timestamp), at, step };
    }
    if (!this.isSessionFresh) this.jumps++;
    const mapped = own && at - own.at < staleMs ? own.mapped + passed(own, at) : this.resumeAt(at);
    return { base: {}, in: timestamp, mapped, at, step: own?.step ?? 0 };
  }

  /** Returns the point of another type that a frame continues if it does not follow the last one of its own type. */
  private reference(own: Point | undefined, timestamp: number, at: number): Point | undefined {
    for (const point of this.lastByType.values()) {
      if (point === own || at - point.at >= staleMs) continue;
      const delta = stepOf(point.in, timestamp);
      if (delta < -maxApartMs || delta > maxApartMs + (at - point.at)) continue;
      if (!own || at - own.at >= staleMs) return point;
      const step = point.mapped + delta - own.mapped;
      // On the same clock, a frame is missing and the other type continues; else the other type's clock was reset.
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
      // Times must keep increasing while a type catches up: decoders require it.
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

/** Returns the point itself if a frame of its type with this timestamp continues from there. */
function goesOn(own: Point | undefined, timestamp: number, at: number): Point | undefined {
  if (!own) return undefined;
  const step = stepOf(own.in, timestamp);
  const max = at - own.at + Math.max(maxLeapMs, 2 * own.step);
  return step >= -maxDisorderMs && step <= max ? own : undefined;
}

/** Signed 32-bit difference: correct across the wrap after 49.7 days. */
function stepOf(from: number, to: number): number {
  return (to - from) | 0;
}

/** Elapsed milliseconds since the point, at least one. */
function passed(point: Point, at: number): number {
  return Math.max(1, Math.round(at - point.at));
}
