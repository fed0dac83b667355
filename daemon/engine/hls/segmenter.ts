/**
 * Cuts a channel's TS bus into segments and, for low latency, segments into parts. A segment begins with the tables and
 * a keyframe. Its length is measured in decode time, which between keyframes equals presentation time.
 */
import type { Cursor } from '../bus/bus.ts';
import { clockRate, clockStep, decodeTimeOf } from '../mpegts/clock.ts';
import { continuityOf, packetSize, patPid, pidOf, startsPayload } from '../mpegts/packet.ts';
import { streamsInPackets } from '../mpegts/tables.ts';
import { entryWaitMs, type TsBus, type TsUnit } from '../mpegts/ts-bus.ts';

/** What a player fetches: whole segments, or parts of them for low latency. */
export type Delivery = 'segments' | 'parts';

export interface SegmentStart {
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** The media does not continue the previous segment: another publisher, or a jump of its clock. */
  readonly isDiscontinuous: boolean;
  /** Begins with a keyframe. Only a group of pictures beyond the limits is cut elsewhere. */
  readonly isIndependent: boolean;
  /** The rest of a group of pictures whose beginning was cut off early, for the first player of parts. */
  readonly isRemainder: boolean;
}
export interface PartBytes {
  readonly ticks: number;
  readonly isIndependent: boolean;
  readonly chunks: readonly Uint8Array<ArrayBuffer>[];
}

type Beginning = Pick<SegmentStart, 'isIndependent' | 'isRemainder'>;

/** Receives the segmenter's output, in order. */
export interface SegmentSink {
  begin(start: SegmentStart): void;
  add(part: PartBytes): void;
  end(): void;
  /** What viewers wait for while there is no segment: the first one is cut short, without a keyframe if need be. */
  readonly awaited: Delivery | undefined;
}

export type Segmenter = ReturnType<typeof createSegmenter>;

export const targetTicks = 2 * clockRate;
export const partTargetTicks = 0.4 * clockRate;
const firstTargetTicks = { parts: clockRate, segments: targetTicks };
/** The minimum with which a player can start and not run dry before the next part or segment arrives. */
const firstLeastTicks = { parts: 2 * partTargetTicks, segments: 3 * targetTicks };
/** A group of pictures beyond one of these limits is cut without a keyframe. */
const longestTicks = 10 * clockRate;
const maxBytes = 12 << 20;
/** Clock steps outside this range are jumps. Small steps back occur in streams without decode times. */
const stepBack = -clockRate;
const stepForward = 3 * clockRate;
/** The stream's clock may drift from ours by this much before the indicated time of day is corrected. */
const driftMs = 1000;

export function createSegmenter(bus: TsBus, sink: SegmentSink, now: () => number) {
  let cursor: Cursor<TsUnit> | undefined;
  let tables: Uint8Array = new Uint8Array(0);
  /** The stream whose access units set the pace: video, or audio if there is no video. */
  let pid = -1;
  let pmtPid = -1;
  const counters = { pat: 0, pmt: 0 };
  let isOpen = false;
  let isBroken = false;
  let startedAt = 0;
  let segment = { start: 0, bytes: 0, tables, isIndependent: true };
  let part = { start: 0, isIndependent: true, chunks: [] as Uint8Array<ArrayBuffer>[] };
  let last = 0;
  let lastEntry = 0;
  let frameTicks = clockRate / 25;

  function keep(data: Uint8Array<ArrayBuffer>, from: number, to: number): void {
    if (!isOpen || to <= from) return;
    part.chunks.push(data.subarray(from, to));
    segment.bytes += to - from;
  }

  function adoptTables(): void {
    if (bus.tables === tables || bus.tables.length === 0) return;
    ({ tables } = bus);
    // The PMT follows the PAT.
    pmtPid = pidOf(tables, tables.length - packetSize);
    const streams = streamsInPackets(tables);
    const pacing = streams.find(({ kind }) => kind === 'video') ?? streams.find(({ kind }) => kind === 'audio');
    pid = pacing?.pid ?? -1;
  }

  /** Returns the tables as a repetition of the last ones: with their continuity counters they break no continuity. */
  function repeatedTables(): Uint8Array<ArrayBuffer> {
    const copy = tables.slice();
    const left = { ...counters };
    // Backward: of a table that spans several packets, the last one is the repetition.
    for (let at = copy.length - packetSize; at >= 0; at -= packetSize) {
      const table = pidOf(copy, at) === patPid ? 'pat' : 'pmt';
      copy[at + 3] = ((copy[at + 3] ?? 0) & 0xf0) | left[table];
      left[table] = (left[table] - 1) & 15;
    }
    return copy;
  }

  function beginPart(time: number, isIndependent: boolean): void {
    part = { start: time, isIndependent, chunks: isIndependent ? [repeatedTables()] : [] };
  }

  function endPart(time: number): void {
    sink.add({
      ticks: Math.max(1, clockStep(part.start, time)),
      isIndependent: part.isIndependent,
      chunks: part.chunks,
    });
  }

  function beginSegment(time: number, { isIndependent, isRemainder }: Beginning): void {
    // Content buffered when the first viewer arrived may be converted all at once.
    const clock = now() - (cursor ? bus.ring.now() - cursor.cameAt : 0);
    const continued = startedAt + (clockStep(segment.start, time) * 1000) / clockRate;
    startedAt = isBroken || Math.abs(continued - clock) > driftMs ? clock : continued;
    sink.begin({ startedAt, isDiscontinuous: isBroken, isIndependent, isRemainder });
    isOpen = true;
    isBroken = false;
    segment = { start: time, bytes: 0, tables, isIndependent };
    beginPart(time, isIndependent);
    // A segment that cannot be decoded by itself still contains the tables.
    if (!isIndependent) part.chunks.push(repeatedTables());
  }

  function endSegment(time: number): void {
    endPart(time);
    sink.end();
    isOpen = false;
  }

  /** The next segment will not continue this one. Media before the next keyframe cannot be shown. */
  function breakOff(): void {
    if (!isOpen) return;
    endSegment(last + frameTicks);
    isBroken = true;
  }

  /** Whether this keyframe comes closer to the segment's target length than the next one will. */
  function isLongEnough(time: number): boolean {
    // Players cannot start with it, so the next one should come soon.
    if (!segment.isIndependent) return true;
    const group = clockStep(lastEntry, time);
    const target = sink.awaited ? firstTargetTicks[sink.awaited] : targetTicks;
    return clockStep(segment.start, time) + group / 2 >= target;
  }

  function mustCut(time: number): boolean {
    const length = clockStep(segment.start, time);
    return length >= longestTicks || segment.bytes >= maxBytes || isEnoughToBegin(length);
  }

  /** Whether the first segment is awaited and contains everything that is buffered. */
  function isEnoughToBegin(length: number): boolean {
    return sink.awaited !== undefined && length >= firstLeastTicks[sink.awaited] && cursor?.lag.bytes === 0;
  }

  function isPartFull(time: number, isEntry: boolean): boolean {
    const length = clockStep(part.start, time);
    // Players join at keyframes, but parts of a single frame would be useless.
    return length + frameTicks > partTargetTicks || (isEntry && length * 2 >= partTargetTicks);
  }

  /** An access unit begins here; everything kept so far precedes it. */
  function accessUnit(time: number, isEntry: boolean): void {
    const step = clockStep(last, time);
    if (isOpen && (step < stepBack || step > stepForward)) breakOff();
    if (!isOpen) {
      if (!isEntry && cursor?.beganAtEntry === true) return;
      beginSegment(time, { isIndependent: isEntry, isRemainder: false });
    } else {
      if (step > 0) frameTicks = step;
      if (isEntry && segment.tables !== tables) {
        endSegment(time);
        isBroken = true;
        beginSegment(time, { isIndependent: true, isRemainder: false });
      } else if ((isEntry && isLongEnough(time)) || mustCut(time)) {
        const isRemainder = !isEntry && sink.awaited === 'parts';
        endSegment(time);
        beginSegment(time, { isIndependent: isEntry, isRemainder });
      } else if (isPartFull(time, isEntry)) {
        endPart(time);
        beginPart(time, isEntry);
      }
      if (step < 0) return;
    }
    last = time;
    if (isEntry) lastEntry = time;
  }

  function take({ data, entryPoint }: TsUnit): void {
    let from = 0;
    for (let at = 0; at < data.length; at += packetSize) {
      const found = pidOf(data, at);
      if (found === patPid) counters.pat = continuityOf(data, at);
      if (found === pmtPid) counters.pmt = continuityOf(data, at);
      if (found !== pid || !startsPayload(data, at)) continue;
      const time = decodeTimeOf(data, at);
      if (time === undefined) continue;
      keep(data, from, at);
      from = at;
      accessUnit(time, entryPoint && at === 0);
    }
    keep(data, from, data.length);
  }

  function pump(): void {
    for (;;) {
      const unit = cursor?.take();
      if (!unit) return;
      if (cursor?.jumped) breakOff();
      adoptTables();
      take(unit);
    }
  }

  return {
    start() {
      if (cursor) return;
      cursor = bus.ring.subscribe(pump, 'oldest', entryWaitMs);
      pump();
    },
    /** Discards an unfinished segment. */
    stop() {
      if (!cursor) return;
      cursor.close();
      cursor = undefined;
      isOpen = false;
      isBroken = startedAt > 0;
      part.chunks = [];
    },
  };
}
