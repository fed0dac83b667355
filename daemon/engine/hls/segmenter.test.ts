import { expect, test } from 'bun:test';
import { clockRate } from '../mpegts/clock.ts';
import { packetSize } from '../mpegts/packet.ts';
import { createSegmenter, type Delivery, type PartBytes, type SegmentSink, type SegmentStart } from './segmenter.ts';
import { createMadeUpStream, pictureTicks } from './stream-for-test.ts';

interface Cut extends SegmentStart {
  readonly parts: PartBytes[];
  isWhole: boolean;
}

/** `first`: what waiting viewers need while there is no segment yet. */
function setUp(first: Delivery | 'there') {
  const stream = createMadeUpStream();
  const cuts: Cut[] = [];
  let clock = 1_000_000;
  const sink: SegmentSink = {
    begin: (start) => cuts.push({ ...start, parts: [], isWhole: false }),
    add: (part) => cuts.at(-1)?.parts.push(part),
    end() {
      cuts.at(-1)!.isWhole = true;
    },
    get awaited() {
      return first === 'there' || cuts.some(({ isWhole }) => isWhole) ? undefined : first;
    },
  };
  const segmenter = createSegmenter(stream.bus, sink, () => clock);
  return {
    ...stream,
    segmenter,
    cuts,
    whole: () => cuts.filter(({ isWhole }) => isWhole),
    pass(ms: number) {
      clock += ms;
    },
  };
}

const secondsOf = ({ parts }: Cut) => parts.reduce((sum, { ticks }) => sum + ticks, 0) / clockRate;
const bytesOf = (part: PartBytes) => Buffer.concat(part.chunks);

test('segments are cut at the keyframes closest to two seconds', () => {
  const { segmenter, pictures, whole } = setUp('there');
  segmenter.start();
  pictures(0, 251, 25);
  expect(whole().map(secondsOf)).toEqual([2, 2, 2, 2, 2]);
  expect(whole().every(({ isIndependent }) => isIndependent)).toBe(true);
});

test('a longer group of pictures makes a longer segment', () => {
  const { segmenter, pictures, whole } = setUp('there');
  segmenter.start();
  pictures(0, 401, 100);
  expect(whole().map(secondsOf)).toEqual([4, 4, 4, 4]);
});

test.each([25, 50, 100, 10_000])('the first segment does not wait for a keyframe, groups of %d pictures', (group) => {
  const { segmenter, pictures, whole } = setUp('parts');
  segmenter.start();
  pictures(0, 21, group);
  expect(whole().map(secondsOf)).toEqual([0.8]);
  expect(whole()[0]?.isIndependent).toBe(true);
});

test('a segment that cannot be decoded from its start ends at the next keyframe', () => {
  const { segmenter, pictures, whole } = setUp('parts');
  segmenter.start();
  pictures(0, 126, 50);
  expect(whole().map(secondsOf)).toEqual([0.8, 1.2, 2]);
  expect(whole().map(({ isIndependent }) => isIndependent)).toEqual([true, false, true]);
  expect(whole().map(({ isRemainder }) => isRemainder)).toEqual([false, true, false]);
});

test.each([
  { group: 25, lengths: [2, 2, 2, 2] },
  { group: 100, lengths: [4, 4] },
  { group: 10_000, lengths: [6] },
])(
  'for a player of whole segments the first one ends with its group of $group pictures, or after six seconds',
  (one) => {
    const { segmenter, pictures, whole } = setUp('segments');
    segmenter.start();
    pictures(0, 201, one.group);
    expect(whole().map(secondsOf)).toEqual([...one.lengths]);
    expect(whole().every(({ isIndependent, isRemainder }) => isIndependent && !isRemainder)).toBe(true);
  },
);

test('a buffered group is the first segment', () => {
  const { segmenter, pictures, whole } = setUp('parts');
  pictures(0, 90, 100);
  segmenter.start();
  // The last picture may be incomplete.
  expect(whole().map(secondsOf)).toEqual([3.56]);
});

test('an endless group of pictures is cut after ten seconds and marked as dependent', () => {
  const { segmenter, pictures, whole } = setUp('there');
  segmenter.start();
  pictures(0, 700, 10_000);
  expect(whole().map(secondsOf)).toEqual([10, 10]);
  expect(whole().map(({ isIndependent }) => isIndependent)).toEqual([true, false]);
});

test('every segment and every part that a player may start with has the tables in front', () => {
  const { segmenter, pictures, whole, bus } = setUp('there');
  segmenter.start();
  pictures(0, 151, 25);
  const starts = whole().flatMap(({ parts }) => parts.filter(({ isIndependent }) => isIndependent));
  expect(starts.length).toBe(6);
  for (const part of starts) expect(bytesOf(part).subarray(0, bus.tables.length).equals(bus.tables)).toBe(true);
  const rest = whole().flatMap(({ parts }) => parts.filter(({ isIndependent }) => !isIndependent));
  for (const part of rest) expect(bytesOf(part).length % packetSize).toBe(0);
});

test('parts are whole pictures, never longer than their target, and nothing is lost between them', () => {
  const { segmenter, pictures, whole, bus } = setUp('there');
  segmenter.start();
  pictures(0, 126, 50);
  const parts = whole().flatMap((segment) => segment.parts);
  expect(Math.max(...parts.map(({ ticks }) => ticks))).toBe(10 * pictureTicks);
  const packets = parts.reduce((sum, part) => sum + bytesOf(part).length / packetSize, 0);
  const tables = parts.filter(({ isIndependent }) => isIndependent).length * (bus.tables.length / packetSize);
  expect(packets - tables).toBe(100);
});

test('the units in the ring make the first segments at once', () => {
  const { segmenter, pictures, whole } = setUp('parts');
  pictures(0, 76, 25);
  segmenter.start();
  expect(whole().map(secondsOf)).toEqual([1, 2]);
});

test('another publisher starts a discontinuity, and the end of the first one is not lost', () => {
  const { segmenter, pictures, startAgain, cuts } = setUp('there');
  segmenter.start();
  pictures(900_000, 40, 25);
  startAgain();
  pictures(0, 26, 25);
  expect(cuts.map(({ isDiscontinuous }) => isDiscontinuous)).toEqual([false, true]);
  expect(cuts.slice(0, 1).map(secondsOf)).toEqual([1.6]);
});

test('a clock jump is a discontinuity, and the next segment waits for a keyframe', () => {
  for (const jump of [-24 * 3600 * clockRate, 10 * clockRate, -2 * clockRate]) {
    const { segmenter, picture, pictures, cuts } = setUp('there');
    segmenter.start();
    const from = 30 * 3600 * clockRate;
    pictures(from, 60, 25);
    for (let at = 60; at < 75; at++) picture(from + jump + at * pictureTicks, false);
    expect(cuts.every(({ isWhole }) => isWhole)).toBe(true);
    pictures(from + jump + 75 * pictureTicks, 26, 25);
    expect(cuts.map(({ isDiscontinuous }) => isDiscontinuous)).toEqual([false, false, true]);
  }
});

test('the 33-bit clock wraps without a discontinuity', () => {
  const { segmenter, picture, whole } = setUp('there');
  segmenter.start();
  for (let at = 0; at < 126; at++) picture((2 ** 33 - 3 * clockRate + at * pictureTicks) % 2 ** 33, at % 25 === 0);
  expect(whole().map(secondsOf)).toEqual([2, 2]);
  expect(whole().some(({ isDiscontinuous }) => isDiscontinuous)).toBe(false);
});

test('changed tables end the segment at the next keyframe, as a discontinuity', () => {
  const { segmenter, pictures, announce, cuts } = setUp('there');
  segmenter.start();
  pictures(0, 51, 50);
  announce(36);
  pictures(51 * pictureTicks, 26, 25);
  expect(cuts.map(({ isDiscontinuous }) => isDiscontinuous)).toEqual([false, false, true]);
});

test('the program date time follows the lengths of segments, until it is a second off', () => {
  const { segmenter, pictures, cuts, pass } = setUp('there');
  segmenter.start();
  pictures(0, 50, 25);
  pass(1900);
  pictures(50 * pictureTicks, 1, 25);
  expect(cuts.map(({ startedAt }) => startedAt - 1_000_000)).toEqual([0, 2000]);
  pass(60_000);
  pictures(100 * pictureTicks, 1, 25);
  expect(cuts.at(-1)!.startedAt - 1_000_000).toBe(61_900);
});

test('buffered units that are converted at once keep the dates of their arrival', () => {
  const { segmenter, picture, cuts } = setUp('there');
  segmenter.start();
  for (let at = 0; at < 150; at++) picture(at * pictureTicks, at % 50 === 0, 6000 - at * 40);
  expect(cuts.map(({ startedAt }) => startedAt - 1_000_000)).toEqual([-6000, -4000, -2000]);
});

test('stopping discards the started segment; starting again marks the gap', () => {
  const { segmenter, pictures, bus, cuts } = setUp('there');
  segmenter.start();
  pictures(0, 30, 25);
  segmenter.stop();
  expect(bus.ring.subscribers).toBe(0);
  bus.ring.clear();
  segmenter.start();
  pictures(30 * pictureTicks, 26, 25);
  expect(cuts.map(({ isDiscontinuous }) => isDiscontinuous)).toEqual([false, true]);
});
