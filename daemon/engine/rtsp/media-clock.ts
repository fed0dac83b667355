/**
 * Puts the tracks of an RTSP stream on one 90 kHz timeline. Each track's clock starts at an arbitrary value (RFC 3550,
 * section 5.1), so tracks are aligned by the arrival of their first packets, then by RTP-Info of the PLAY response (RFC
 * 2326, section 12.33), and by their sender reports once all tracks have sent one.
 */
import { createUnwrapper, rtpClockModulus } from '../codec/unwrap.ts';

const ticksPerSecond = 90_000;
const ticksPerMs = 90;
/** Start of the timeline. Leaves room for clock references and decoding times before the first packet. */
const firstTicks = 2 * ticksPerSecond;
/** A clock was reset if it deviates this far from elapsed time, or goes back further than B pictures do. */
const maxLeapTicks = 10 * ticksPerSecond;
const maxBackTicks = 1.5 * ticksPerSecond;
/** Tracks further apart than this are not aligned: their reports come from different clocks. */
const maxApartTicks = 10 * ticksPerSecond;
/** Smaller offsets are noise from rounded timestamps. */
const minApartTicks = 450;

interface Moment {
  /** 90 kHz ticks of the track's own clock. */
  readonly stamp: number;
  /** The same moment in 90 kHz ticks of a clock that all tracks share. */
  readonly shared: number;
}

interface Track {
  readonly ticksPerStamp: number;
  readonly unwrap: (stamp: number) => number;
  /** Position of stamp 0 on the timeline. */
  zero: number;
  /** Undefined before the first packet. */
  last: Arrival | undefined;
  moment: Moment | undefined;
}

interface Arrival {
  readonly ticks: number;
  /** Monotonic time in milliseconds. */
  readonly at: number;
}

export class MediaClock {
  private readonly tracks: readonly Track[];
  private beganAt: number | undefined;
  private source: 'info' | 'report' = 'info';

  /** `clockRates`: clock rate of each track in hertz; 0 if unknown. */
  constructor(clockRates: readonly number[]) {
    this.tracks = clockRates.map((rate) => ({
      ticksPerStamp: ticksPerSecond / (rate || ticksPerSecond),
      unwrap: createUnwrapper(rtpClockModulus),
      zero: 0,
      last: undefined,
      moment: undefined,
    }));
  }

  /**
   * Returns the time of a packet on the timeline, in 90 kHz ticks, and whether it is unrelated to those before. `now`:
   * arrival in milliseconds. `isNew`: its sender restarted.
   */
  take(index: number, timestamp: number, now: number, isNew: boolean): { ticks: number; isRestart: boolean } {
    const track = this.tracks[index];
    if (!track) return { ticks: firstTicks, isRestart: false };
    this.beganAt ??= now;
    if (isNew) track.moment = undefined;
    const stamp = track.unwrap(timestamp) * track.ticksPerStamp;
    const isRestart = track.last !== undefined && (isNew || isLeap(track.last, track.zero + stamp, now));
    if (!track.last || isRestart) {
      const { ticks, at } = track.last ?? { ticks: firstTicks, at: this.beganAt };
      track.zero = ticks + (now - at) * ticksPerMs - stamp;
      if (isRestart) track.moment = undefined;
      this.align();
    }
    const ticks = track.zero + stamp;
    track.last = { ticks, at: now };
    return { ticks, isRestart };
  }

  /** Records that the shared clock was at `seconds` when the track's clock was at `timestamp`. */
  synchronize(index: number, source: 'info' | 'report', timestamp: number, seconds: number): void {
    const track = this.tracks[index];
    if (!track || (source === 'info' && this.source === 'report')) return;
    if (source !== this.source) for (const one of this.tracks) one.moment = undefined;
    this.source = source;
    track.moment = { stamp: track.unwrap(timestamp) * track.ticksPerStamp, shared: seconds * ticksPerSecond };
    this.align();
  }

  /** Aligns the other tracks with the first one, where their relation is known. */
  private align(): void {
    const [first, ...others] = this.tracks;
    const base = first && sharedZero(first);
    for (const track of others) {
      const own = sharedZero(track);
      if (base === undefined || own === undefined) continue;
      const apart = own - base;
      if (Math.abs(apart) >= minApartTicks && Math.abs(apart) <= maxApartTicks) track.zero -= apart;
    }
  }
}

/** Returns the position of the shared clock's zero on the timeline; undefined if unknown. */
function sharedZero({ zero, last, moment }: Track): number | undefined {
  // A track has no position before its first packet. While `take` handles that, `zero` is set but `last` is not yet.
  return moment && (last || zero !== 0) ? zero + moment.stamp - moment.shared : undefined;
}

function isLeap(last: Arrival, ticks: number, now: number): boolean {
  const step = ticks - last.ticks;
  return step < -maxBackTicks || Math.abs(step - (now - last.at) * ticksPerMs) > maxLeapTicks;
}
