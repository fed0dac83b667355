import { expect, test } from 'bun:test';
import { DecodeTimes } from './decode-times.ts';

const frame = 3600;
/** In decoding order, numbered in display order. */
const timesOf = (order: readonly number[], depth?: number) => {
  const times = new DecodeTimes();
  if (depth !== undefined) times.declare(depth);
  return order.map((shown) => times.take(1e6 + shown * frame));
};
const inFrames = (times: readonly { pts: number; dts: number }[]) =>
  times.map(({ pts, dts }) => [(pts - 1e6) / frame, (dts - 1e6) / frame]);

test('pictures that are not reordered are decoded at their display time', () => {
  expect(inFrames(timesOf([0, 1, 2, 3]))).toEqual([0, 1, 2, 3].map((n) => [n, n]));
});

test('with a declared depth every picture keeps its time, and decoding runs ahead by that depth', () => {
  const order = [0, 4, 2, 1, 3, 8, 6, 5, 7];
  const times = timesOf(order, 2);
  expect(inFrames(times)).toEqual(order.map((shown, i) => [shown, i - 2]));
});

test('an undeclared depth is learned, and times always grow', () => {
  const order = [0, 3, 1, 2, 6, 4, 5, 9, 7, 8, 12, 10, 11];
  const times = timesOf(order);
  for (const [i, { pts, dts }] of times.entries()) {
    expect(dts).toBeLessThanOrEqual(pts);
    if (i > 0) expect(dts).toBeGreaterThan(times[i - 1]!.dts);
  }
  expect(inFrames(times).slice(5)).toEqual(order.slice(5).map((shown, i) => [shown, i + 4]));
});

test('a restart discards the expectations from earlier pictures', () => {
  const times = new DecodeTimes();
  times.declare(1);
  for (const shown of [0, 2, 1, 4, 3]) times.take(shown * frame);
  times.restart();
  const found = [100, 102, 101, 104].map((shown) => times.take(shown * frame));
  expect(found.map(({ pts, dts }) => [pts / frame, dts / frame])).toEqual([
    [100, 99],
    [102, 100],
    [101, 101],
    [104, 102],
  ]);
});
