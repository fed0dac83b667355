import { expect, test } from 'bun:test';
import { createLevel, lowestDb, peakDb } from './audio-level.ts';

test('full scale is 0 dBFS, half of it -6, silence the minimum', () => {
  expect(peakDb(Float32Array.of(0.2, -1, 0.5))).toBe(0);
  expect(peakDb(Float32Array.of(0.5))).toBeCloseTo(-6.02, 2);
  expect(peakDb(new Float32Array(8))).toBe(lowestDb);
});

test('a level rises at once and falls slowly; its peak is held, then falls too', () => {
  const level = createLevel();
  expect(level(-10, 0)).toEqual({ now: -10, peak: -10 });
  const later = level(lowestDb, 850);
  expect(later.now).toBeCloseTo(-20, 5);
  expect(later.peak).toBe(-10);
  expect(level(lowestDb, 1700).peak).toBeCloseTo(-20, 5);
  expect(level(-3, 1750)).toEqual({ now: -3, peak: -3 });
  expect(level(lowestDb, 60_000)).toEqual({ now: lowestDb, peak: lowestDb });
});
