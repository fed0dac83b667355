import { expect, test } from 'bun:test';
import { pesLimits } from '../remux/pes-assembler.ts';
import { NalDepacketizer } from './nal-depacketizer.ts';

// Parameter sets of x264 for 320x180.
const sets = ['6764000cacd941419f9f011000000300100000030320f14299', '68ebe3cb22c0'].map((hex) =>
  Buffer.from(hex, 'hex'),
);
const keySlice = Buffer.from('6588840a', 'hex');
const slice = Buffer.from('419a0a0a', 'hex');

function setUp(known = sets) {
  const units: { timestamp: number; isKey: boolean; hex: string }[] = [];
  const depacketizer = new NalDepacketizer('h264', known, ({ timestamp, isRandomAccess, parts }) =>
    units.push({ timestamp, isKey: isRandomAccess, hex: Buffer.concat(parts).toString('hex') }),
  );
  return { units, depacketizer, times: () => units.map(({ timestamp }) => timestamp) };
}

test('a keyframe without parameter sets gets those of the description, and earlier pictures are dropped', () => {
  const { units, depacketizer } = setUp();
  depacketizer.take(slice, 0, true);
  depacketizer.take(keySlice, 3600, true);
  depacketizer.take(slice, 7200, true);
  const start = '00000001';
  expect(units.map(({ isKey }) => isKey)).toEqual([true, false]);
  expect(units[0]?.hex).toBe(['', '09f0', ...sets.map((set) => set.toString('hex')), '6588840a'].join(start));
  expect(depacketizer.reorderDepth).toBe(2);
});

test('nothing is sent before the parameter sets are known', () => {
  const { times, depacketizer } = setUp([]);
  depacketizer.take(keySlice, 0, true);
  // Marked individually, as by some cameras.
  for (const set of sets) depacketizer.take(set, 3600, true);
  depacketizer.take(keySlice, 3600, true);
  expect(times()).toEqual([3600]);
});

test('without marker bits, a picture ends where the timestamp changes', () => {
  const { times, depacketizer } = setUp();
  depacketizer.take(keySlice, 0, false);
  depacketizer.take(slice, 3600, false);
  expect(times()).toEqual([0]);
});

test('after a loss, a picture that starts with its first slice is complete', () => {
  const { times, depacketizer } = setUp();
  depacketizer.take(keySlice, 0, true);
  depacketizer.lose();
  depacketizer.take(slice, 3600, true);
  depacketizer.lose();
  // Not the first macroblock.
  depacketizer.take(Buffer.from('41400a0a', 'hex'), 7200, true);
  depacketizer.take(slice, 10_800, true);
  expect(times()).toEqual([0, 3600, 10_800]);
});

test('a keyframe that lost a fragment drops everything up to the next one', () => {
  const { times, depacketizer } = setUp();
  depacketizer.take(keySlice, 0, false);
  depacketizer.lose();
  depacketizer.take(keySlice, 0, true);
  depacketizer.take(slice, 3600, true);
  depacketizer.take(keySlice, 7200, true);
  expect(times()).toEqual([7200]);
});

test('a picture without an end is not kept', () => {
  const { times, depacketizer } = setUp();
  depacketizer.take(keySlice, 0, true);
  const piece = Buffer.concat([Buffer.from('7c01', 'hex'), Buffer.alloc(60_000)]);
  for (let bytes = 0; bytes < 2 * pesLimits.videoBytes; bytes += piece.length) depacketizer.take(piece, 3600, false);
  depacketizer.take(slice, 7200, true);
  expect(times()).toEqual([0, 7200]);
});
