import { expect, test } from 'bun:test';
import { createLevel, lowestDb, peakDb } from './audio-level.ts';

test('full scale is 0 dBFS, half of it -6, silence the minimum', () => {
  expect(peakDb(Float32Array.of(0.2, -1, 0.5))).toBe(0);
  expect(peakDb(Float32Array.of(0.5))).toBeCloseTo(-6.02, 2);
  expect(peakDb(new Float32Array(8))).toBe(lowestDb);
});

test('a level rises at once and falls slowly; its peak is held, then falls too', () => {
  const level = createLevel();
  expect(level(-10, 0)).toMatchObject({ now: -10, peak: -10 });
  const later = level(lowestDb, 850);
  expect(later.now).toBeCloseTo(-20, 5);
  expect(later.peak).toBe(-10);
  expect(level(lowestDb, 1700).peak).toBeCloseTo(-20, 5);
  expect(level(-3, 1750)).toMatchObject({ now: -3, peak: -3 });
  expect(level(lowestDb, 60_000)).toMatchObject({ now: lowestDb, peak: lowestDb });
});

test('silence is counted from the last sound, and starts again after a time without measurements', () => {
  const level = createLevel();
  const silentMs = (db: number, nowMs: number) => level(db, nowMs).silentMs;
  expect(silentMs(lowestDb, 5000)).toBe(0);
  expect(silentMs(lowestDb, 5900)).toBe(900);
  expect(silentMs(-59, 6000)).toBe(0);
  expect(silentMs(lowestDb, 6500)).toBe(500);
  expect(silentMs(lowestDb, 8000)).toBe(0);
});
