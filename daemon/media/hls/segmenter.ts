/**
 * Cuts a channel's TS bus into segments and, for low latency, segments into parts. A segment begins with the tables and
 * a keyframe; its length is counted from decode times, which between keyframes is the same as from presentation times.
 */
import type { Cursor } from '../bus.ts';
import { continuityOf, packetSize, patPid, pidOf, startsPayload } from '../mpegts/packet.ts';
import { clockRate, clockStep, decodeTimeOf } from '../mpegts/pes-time.ts';
import { streamsInPackets } from '../mpegts/tables.ts';
import { entryWaitMs, type TsBus, type TsUnit } from '../mpegts/ts-bus.ts';

/** What a player fetches: whole segments, or for low latency the parts of them. */
export type Delivery = 'segments' | 'parts';

export interface SegmentStart {
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** What comes doesn't continue what was before: another publisher, or a jump of its clock. */
  readonly isDiscontinuous: boolean;
  /** Begins with a keyframe; only a group of pictures beyond the bounds is cut elsewhere. */
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

/** Takes what the segmenter makes, in order. */
export interface SegmentSink {
  begin(start: SegmentStart): void;
  add(part: PartBytes): void;
  end(): void;
  /** What somebody waits for while there is no segment: the first one is cut short, without a keyframe if need be. */
  readonly awaited: Delivery | undefined;
}

export interface Segmenter {
  start(): void;
  /** What was begun is thrown away. */
  stop(): void;
}

export const targetTicks = 2 * clockRate;
export const partTargetTicks = 0.4 * clockRate;
const firstTargetTicks = { parts: clockRate, segments: targetTicks };
/** The least that a player can begin with and not run dry before the next part, or the next segment, comes. */
const firstLeastTicks = { parts: 2 * partTargetTicks, segments: 3 * targetTicks };
/** A group of pictures beyond one of these is cut without a keyframe. */
const longestTicks = 10 * clockRate;
const mostBytes = 12 << 20;
/** Steps of the clock outside of these are jumps. Going back a little is a stream without decode times. */
const stepBack = -clockRate;
const stepForward = 3 * clockRate;
/** The stream's clock may drift from ours by so much before the shown time of day follows. */
const driftMs = 1000;

export function createSegmenter(bus: TsBus, sink: SegmentSink, now: () => number): Segmenter {
  let cursor: Cursor<TsUnit> | undefined;
  let tables: Uint8Array = new Uint8Array(0);
  /** The stream whose access units set the pace: video, or sound when there is none. */
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
    // The PMT stands behind the PAT.
    pmtPid = pidOf(tables, tables.length - packetSize);
    const streams = streamsInPackets(tables);
    const pacing = streams.find(({ kind }) => kind === 'video') ?? streams.find(({ kind }) => kind === 'audio');
    pid = pacing?.pid ?? -1;
  }

  /** The tables as the repetition of the last ones that passed: with their counters they break no continuity. */
  function repeatedTables(): Uint8Array<ArrayBuffer> {
    const copy = tables.slice();
    const left = { ...counters };
    // From behind: of a table over several packets the last one is the repetition.
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
    // What was held when the first viewer came may be converted all at once.
    const clock = now() - (cursor ? bus.ring.now() - cursor.cameAt : 0);
    const continued = startedAt + (clockStep(segment.start, time) * 1000) / clockRate;
    startedAt = isBroken || Math.abs(continued - clock) > driftMs ? clock : continued;
    sink.begin({ startedAt, isDiscontinuous: isBroken, isIndependent, isRemainder });
    isOpen = true;
    isBroken = false;
    segment = { start: time, bytes: 0, tables, isIndependent };
    beginPart(time, isIndependent);
    // A segment that can't be decoded by itself still carries the tables.
    if (!isIndependent) part.chunks.push(repeatedTables());
  }

  function endSegment(time: number): void {
    endPart(time);
    sink.end();
    isOpen = false;
  }

  /** The next segment won't continue this one; what comes before the next keyframe can't be shown. */
  function breakOff(): void {
    if (!isOpen) return;
    endSegment(last + frameTicks);
    isBroken = true;
  }

  /** Whether the segment comes closest to its target length at this keyframe, and not at the next one. */
  function isLongEnough(time: number): boolean {
    // Nobody can begin with it: the sooner the next one comes, the better.
    if (!segment.isIndependent) return true;
    const group = clockStep(lastEntry, time);
    const target = sink.awaited ? firstTargetTicks[sink.awaited] : targetTicks;
    return clockStep(segment.start, time) + group / 2 >= target;
  }

  function mustCut(time: number): boolean {
    const length = clockStep(segment.start, time);
    return length >= longestTicks || segment.bytes >= mostBytes || isEnoughToBegin(length);
  }

  /** Somebody waits for the first segment, and all that is held is in it. */
  function isEnoughToBegin(length: number): boolean {
    return sink.awaited !== undefined && length >= firstLeastTicks[sink.awaited] && cursor?.lag.bytes === 0;
  }

  function isPartFull(time: number, isEntry: boolean): boolean {
    const length = clockStep(part.start, time);
    // A player joins at a keyframe, but parts of a single picture would be no use.
    return length + frameTicks > partTargetTicks || (isEntry && length * 2 >= partTargetTicks);
  }

  /** An access unit begins here; what was kept so far lies before it. */
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
