import { expect, test } from 'bun:test';
import { peaksAbove, plotTop } from './plot-scale.ts';

const steady = (count: number, rate: number) => Array.from({ length: count }, (_, at) => rate + (at % 7));
const columns = (received: (number | null)[], sent: (number | null)[] = []) => ({
  time: received.map((_, at) => at),
  in: received,
  out: sent,
});

test('a typical hour fits with room above it', () => {
  const top = plotTop(columns(steady(3600, 2000)));
  expect(top).toBeGreaterThan(2006);
  expect(top).toBeLessThan(2400);
});

test('one burst does not set the scale', () => {
  const rates = [...steady(1000, 2000), 90_000, ...steady(1000, 2000)];
  expect(plotTop(columns(rates))).toBeLessThan(5000);
});

test('a burst in a short history does not set it either', () => {
  expect(plotTop(columns([30_000, ...steady(20, 2000)]))).toBeLessThan(5000);
});

test('a higher rate that lasts sets it', () => {
  expect(plotTop(columns([...steady(3000, 2000), ...steady(600, 9000)]))).toBeGreaterThan(9006);
});

test('the busier direction counts, and idle time does not', () => {
  const silence = Array.from({ length: 3500 }, () => 0);
  expect(plotTop(columns([...silence, ...steady(60, 2000)], [...silence, ...steady(60, 8000)]))).toBeGreaterThan(8006);
});

test('an empty history still has a scale', () => {
  expect(plotTop(columns([null, 0, null]))).toBe(1000);
});

test('each interval above the top has one peak', () => {
  expect(peaksAbove([1, 20, 30, 20, 1, null, 40, 50], 10)).toEqual([2, 7]);
  expect(peaksAbove([1, 2, 10], 10)).toEqual([]);
});
