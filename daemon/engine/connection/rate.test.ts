import { expect, test } from 'bun:test';
import { createRateMeter, createRateRing } from './rate.ts';

test('the rate is that of the last second', () => {
  const meter = createRateMeter();
  meter.tick(0, 1000);
  meter.tick(125_000, 2000);
  expect(meter.kbps).toBe(1000);
  meter.tick(125_000, 3000);
  expect(meter.kbps).toBe(0);
});

test('a flow that stops for more than two seconds counts as stopped', () => {
  const meter = createRateMeter();
  meter.tick(0, 1000);
  meter.tick(10, 2000);
  expect(meter.isFlowing).toBe(true);
  meter.tick(10, 4000);
  expect(meter.isFlowing).toBe(true);
  meter.tick(10, 4500);
  expect(meter.isFlowing).toBe(false);
  expect(meter.since).toBe(0);
});

test('the ring keeps its newest values, and gaps as null', () => {
  const ring = createRateRing(3);
  expect(ring.values()).toEqual([]);
  ring.push(1);
  ring.push(Number.NaN);
  expect(ring.values()).toEqual([1, null]);
  ring.push(3);
  ring.push(4);
  expect(ring.values()).toEqual([null, 3, 4].slice(1));
});
