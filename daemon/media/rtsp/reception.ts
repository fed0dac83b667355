/**
 * How RTP packets come in: what is lost, out of order or too late, and how unevenly they come (RFC 3550, section 6.4.1 and
 * appendix A). The packets themselves pass by.
 */
import type { DatagramReport } from '../status.ts';

export interface Reception {
  /** An RTP packet of a track, and when it came: milliseconds of any clock that doesn't jump. */
  packet(track: number, packet: Uint8Array, now: number): void;
  report(now: number): DatagramReport;
}

export interface ReceptionOptions {
  /** Of each track: ticks of its time stamps in a second; 0 where that isn't known. */
  readonly clockRates: readonly number[];
  /** How long a packet may be out of order before it is given up. */
  readonly lateMs: number;
}

const headerBytes = 12;
const sequences = 1 << 16;
/** A step beyond this is no loss: the sender began anew (RFC 3550, appendix A.1). */
const mostMissing = 3000;
/** Runs of missing packets that are tracked. Beyond this, the oldest counts as lost. */
const mostGaps = 512;
/** A time stamp so far from the last one, or a pause, is a new beginning. */
const mostStepMs = 10_000;

export function createReception({ clockRates, lateMs }: ReceptionOptions): Reception {
  const tracks = clockRates.map((clockRate) => new Track(clockRate, lateMs));
  return {
    packet(track, packet, now) {
      if (packet.length >= headerBytes) tracks[track]?.packet(packet, now);
    },
    report(now) {
      for (const track of tracks) track.giveUp(now);
      const sum = (of: (track: Track) => number) => tracks.reduce((total, track) => total + of(track), 0);
      return {
        received: sum(({ received }) => received),
        lost: sum(({ lost }) => lost),
        reordered: sum(({ reordered }) => reordered),
        late: sum(({ late }) => late),
        jitterMs: Math.max(0, ...tracks.map(({ jitterMs }) => jitterMs)),
      };
    },
  };
}

/** Consecutive packets that are missing and may still arrive. */
interface Gap {
  readonly first: number;
  readonly count: number;
  /** The time when these packets count as lost. */
  readonly until: number;
}

class Track {
  received = 0;
  lost = 0;
  reordered = 0;
  late = 0;
  jitterMs = 0;
  private readonly clockRate: number;
  private readonly lateMs: number;
  private source: number | undefined;
  private highest = 0;
  /** What would follow after a jump, if the sender really began anew. */
  private expectedAnew: number | undefined;
  /** Oldest first. Stored as runs, because a packet of a few bytes may skip thousands of sequence numbers. */
  private readonly gaps: Gap[] = [];
  private missing = 0;
  private newest: { readonly stamp: number; readonly at: number } | undefined;

  constructor(clockRate: number, lateMs: number) {
    this.clockRate = clockRate;
    this.lateMs = lateMs;
  }

  packet(bytes: Uint8Array, now: number): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, headerBytes);
    const source = view.getUint32(8);
    this.received++;
    this.giveUp(now);
    if (source !== this.source) this.begin(view.getUint16(2), source);
    else if (!this.take(view.getUint16(2), now)) return;
    this.measure(view.getUint32(4), now);
  }

  giveUp(now: number): void {
    for (let gap = this.gaps[0]; gap; gap = this.gaps[0]) {
      if (gap.until > now && this.missing <= mostMissing && this.gaps.length <= mostGaps) return;
      this.gaps.shift();
      this.missing -= gap.count;
      this.lost += gap.count;
    }
  }

  /** Nobody knows what was sent in between. */
  private begin(sequence: number, source: number): void {
    this.lost += this.missing;
    this.missing = 0;
    this.gaps.length = 0;
    this.source = source;
    this.highest = sequence;
    this.expectedAnew = undefined;
    this.newest = undefined;
  }

  /** Whether it is newer than all before. */
  private take(sequence: number, now: number): boolean {
    const step = (sequence - this.highest + sequences) % sequences;
    if (step > 0 && step <= mostMissing) {
      this.waitFor({ first: (this.highest + 1) % sequences, count: step - 1, until: now + this.lateMs });
      this.highest = sequence;
      return true;
    }
    if (this.fill(sequence)) this.reordered++;
    else if (step === 0 || step >= sequences - mostMissing) this.late++;
    else if (sequence === this.expectedAnew) this.begin(sequence, this.source ?? 0);
    else this.expectedAnew = (sequence + 1) % sequences;
    return false;
  }

  private waitFor(gap: Gap): void {
    if (gap.count === 0) return;
    this.gaps.push(gap);
    this.missing += gap.count;
  }

  /** Returns whether the packet was missing. */
  private fill(sequence: number): boolean {
    const before = (first: number) => (sequence - first + sequences) % sequences;
    const at = this.gaps.findIndex(({ first, count }) => before(first) < count);
    const gap = this.gaps[at];
    if (!gap) return false;
    const { first, count, until } = gap;
    const halves = [
      { first, count: before(first), until },
      { first: (sequence + 1) % sequences, count: count - before(first) - 1, until },
    ];
    this.gaps.splice(at, 1, ...halves.filter((half) => half.count > 0));
    this.missing--;
    return true;
  }

  /**
   * Of the first packet of each picture or piece of sound, and only of those shown later than all before: a picture
   * comes in several packets at once, and B pictures come after those that they are shown before.
   */
  private measure(stamp: number, now: number): void {
    if (this.clockRate === 0) return;
    const before = this.newest;
    const stepMs = before ? (((stamp - before.stamp) | 0) / this.clockRate) * 1000 : 0;
    if (before && stepMs <= 0 && stepMs > -mostStepMs) return;
    this.newest = { stamp, at: now };
    if (!before || Math.abs(stepMs) > mostStepMs || now - before.at > mostStepMs) return;
    this.jitterMs += (Math.abs(now - before.at - stepMs) - this.jitterMs) / 16;
  }
}
