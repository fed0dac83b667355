/**
 * How much a peer may send on each stream. A fixed window is too small for long links and fills the buffers of slow
 * ones, so it follows the measured bandwidth × round trip of the link, divided among the streams that use it.
 */

/** The start value and the bounds of the window of a stream. */
const firstWindow = 256 << 10;
const leastWindow = 64 << 10;
export const largestWindow = 16 << 20;

/** Credit is sent at half a window, and a reader may be late by one round trip. */
const headroom = 2.5;
/** While the rate still grows by this factor, the window is larger, so that a fast line is used within a second. */
const growth = 1.2;
const growingHeadroom = 5;
const intervalMs = 100;
const keptIntervals = 10;
/** A pause of this length belongs to no interval. */
const gapMs = 1000;
/** Below this the scheduling of processes, not the network, determines when an answer arrives. */
const leastRttMs = 1;

export interface ReceiveLimits {
  /** Sum of the windows of all streams, in bytes. */
  readonly totalBytes: number;
  /** Largest number of streams; each has the initial window in any case. */
  readonly streams: number;
  /** Window of a stream before its first credit, which both sides exchange in the handshake. */
  readonly initialBytes: number;
}

/** The part of a stream that this file keeps. */
export interface ReceivingStream {
  /** Bytes that the peer may still send. */
  outstanding: number;
  /** Bytes that arrived and were not read. */
  unread: number;
  /** Bytes that this stream uses beyond its initial window. */
  extra: number;
  /** Bytes in this interval. */
  arrived: number;
}

export type ReceiveWindow = ReturnType<typeof createReceiveWindow>;

export function createReceiveWindow({ totalBytes, streams, initialBytes }: ReceiveLimits, start: number) {
  if (streams * initialBytes > totalBytes) throw new Error('the initial windows exceed the total');
  const pool = totalBytes - streams * initialBytes;
  let extra = 0;
  let startedAt = start;
  let arrivedAt = start;
  let total = 0;
  /** Whether a stream used its window in this interval, rather than a little of it. */
  let isLimited = false;
  let active: ReceivingStream[] = [];
  const rates: number[] = [];
  let sharedBy = 1;
  let isGrowing = false;

  /** Ends the interval: its rate, and the number of streams among which the bytes were divided evenly. */
  function endInterval(now: number): void {
    // Small requests say nothing about what the link can carry.
    if (isLimited) {
      const rate = total / (now - startedAt);
      // Each interval is the best so far: a burst after a pause is not growth.
      const best = Math.max(0, ...rates);
      isGrowing = best > 0 && rates.at(-1) === best && rate > growth * best;
      rates.push(rate);
      if (rates.length > keptIntervals) rates.shift();
      // (Σb)² / Σb²: n for n equal streams, about 1 for a large one among many small ones.
      const squares = active.reduce((sum, { arrived }) => sum + arrived * arrived, 0);
      sharedBy = squares === 0 ? 1 : (total * total) / squares;
    }
    beginInterval(now);
  }

  function beginInterval(now: number): void {
    for (const stream of active) stream.arrived = 0;
    active = [];
    total = 0;
    isLimited = false;
    startedAt = now;
  }

  function targetFor(rttMs: number | undefined): number {
    if (rttMs === undefined || rates.length === 0) return firstWindow;
    const factor = isGrowing ? growingHeadroom : headroom;
    const bytes = (factor * Math.max(...rates) * Math.max(rttMs, leastRttMs)) / sharedBy;
    return Math.round(Math.min(largestWindow, Math.max(leastWindow, bytes)));
  }

  function account(stream: ReceivingStream, isOpen: boolean): void {
    const beyond = isOpen ? Math.max(0, stream.outstanding + stream.unread - initialBytes) : 0;
    extra += beyond - stream.extra;
    stream.extra = beyond;
  }

  return {
    arrived(stream: ReceivingStream, bytes: number, now: number): void {
      if (now - arrivedAt >= gapMs) beginInterval(now);
      else if (now - startedAt >= intervalMs) endInterval(now);
      arrivedAt = now;
      if (stream.arrived === 0) active.push(stream);
      stream.arrived += bytes;
      total += bytes;
    },
    /** Call when a stream opens and after reads. Returns the credit to send; 0 until half of a window is due. */
    grant(stream: ReceivingStream, rttMs: number | undefined): number {
      account(stream, true);
      const window = Math.min(targetFor(rttMs), initialBytes + stream.extra + pool - extra);
      const credit = window - stream.outstanding - stream.unread;
      if (credit < window / 2) return 0;
      isLimited ||= stream.arrived * 32 > credit;
      stream.outstanding += credit;
      account(stream, true);
      return credit;
    },
    /** The stream is gone: others may use its share. */
    release: (stream: ReceivingStream): void => account(stream, false),
    /** Bytes that peers may make this side hold, at most `totalBytes`. */
    get committedBytes() {
      return streams * initialBytes + extra;
    },
  };
}
