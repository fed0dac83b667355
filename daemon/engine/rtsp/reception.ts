/**
 * Reception statistics of RTP packets: lost, reordered and late packets, and jitter (RFC 3550, section 6.4.1 and
 * appendix A). Packets are not stored.
 */
import type { DatagramReport } from '../../media/protocol/reported.ts';
import type { ReceptionFigures } from './packet.ts';

const headerBytes = 12;
const sequences = 1 << 16;
/** A larger step is a restart of the sender, not a loss (RFC 3550, appendix A.1). */
const maxMissing = 3000;
/** Runs of missing packets that are tracked. Beyond this, the oldest counts as lost. */
const maxGaps = 512;
/** A larger timestamp step or a longer pause is not measured as jitter. */
const maxStepMs = 10_000;

export class Reception {
  private readonly tracks: readonly Track[];

  /**
   * `clockRates`: clock rate of each track in hertz; 0 if unknown. `lateMs`: milliseconds after which a missing packet
   * counts as lost.
   */
  constructor(clockRates: readonly number[], lateMs: number) {
    this.tracks = clockRates.map((clockRate) => new Track(clockRate, lateMs));
  }

  /** Counts an RTP packet of a track. `now`: monotonic time of its arrival in milliseconds. */
  packet(track: number, packet: Uint8Array, now: number): void {
    if (packet.length >= headerBytes) this.tracks[track]?.packet(packet, now);
  }

  /** Returns the figures since the last call, for a receiver report; undefined before the first packet of the track. */
  figures(track: number): Omit<ReceptionFigures, 'lastReport' | 'sinceReport'> | undefined {
    return this.tracks[track]?.figures();
  }

  /** Returns the statistics of all tracks together. */
  report(now: number): DatagramReport {
    for (const track of this.tracks) track.giveUp(now);
    const sum = (of: (track: Track) => number) => this.tracks.reduce((total, track) => total + of(track), 0);
    return {
      received: sum(({ received }) => received),
      lost: sum(({ lost }) => lost),
      reordered: sum(({ reordered }) => reordered),
      late: sum(({ late }) => late),
      jitterMs: Math.max(0, ...this.tracks.map(({ jitterMs }) => jitterMs)),
    };
  }
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
  /** Number of wraps of the sequence number, in the upper 16 bits. */
  private wraps = 0;
  private reported = { received: 0, lost: 0 };
  /** The sequence number after an implausible one. If it arrives, the sender has restarted. */
  private restartAt: number | undefined;
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

  figures() {
    if (this.source === undefined) return undefined;
    const { received, lost, source } = this;
    const newlyLost = lost - this.reported.lost;
    const lostShare = newlyLost / Math.max(1, newlyLost + received - this.reported.received);
    this.reported = { received, lost };
    const jitter = (this.jitterMs * this.clockRate) / 1000;
    return { source, highestSequence: this.wraps + this.highest, lost, lostShare, jitter };
  }

  giveUp(now: number): void {
    for (let gap = this.gaps[0]; gap; gap = this.gaps[0]) {
      if (gap.until > now && this.missing <= maxMissing && this.gaps.length <= maxGaps) return;
      this.gaps.shift();
      this.missing -= gap.count;
      this.lost += gap.count;
    }
  }

  /** Starts over at `sequence`. Packets sent in between can't be counted. */
  private begin(sequence: number, source: number): void {
    this.lost += this.missing;
    this.missing = 0;
    this.gaps.length = 0;
    this.source = source;
    this.highest = sequence;
    this.restartAt = undefined;
    this.newest = undefined;
  }

  /** Returns whether the packet is newer than all before it. */
  private take(sequence: number, now: number): boolean {
    const step = (sequence - this.highest + sequences) % sequences;
    if (step > 0 && step <= maxMissing) {
      this.waitFor({ first: (this.highest + 1) % sequences, count: step - 1, until: now + this.lateMs });
      if (sequence < this.highest) this.wraps += sequences;
      this.highest = sequence;
      return true;
    }
    if (this.fill(sequence)) this.reordered++;
    else if (step === 0 || step >= sequences - maxMissing) this.late++;
    else if (sequence === this.restartAt) this.begin(sequence, this.source ?? 0);
    else this.restartAt = (sequence + 1) % sequences;
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
   * Measures jitter at the first packet of each picture or audio frame whose timestamp is later than all before: a
   * picture arrives in several packets at once, and B pictures arrive after pictures that are shown later.
   */
  private measure(stamp: number, now: number): void {
    if (this.clockRate === 0) return;
    const before = this.newest;
    const stepMs = before ? (((stamp - before.stamp) | 0) / this.clockRate) * 1000 : 0;
    if (before && stepMs <= 0 && stepMs > -maxStepMs) return;
    this.newest = { stamp, at: now };
    if (!before || Math.abs(stepMs) > maxStepMs || now - before.at > maxStepMs) return;
    this.jitterMs += (Math.abs(now - before.at - stepMs) - this.jitterMs) / 16;
  }
}
