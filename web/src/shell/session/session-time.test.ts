import { expect, test } from 'bun:test';
import { countdown, isNearEnd, keepPauseMs, nextLookMs } from './session-time.ts';

test.each([
  [30, 121, false],
  [30, 120, true],
  [1440, 120, true],
  [1, 31, false],
  [1, 30, true],
  [1, 0, true],
  [-1, -1, false],
])('with %d minutes, %d seconds are left: near the end %p', (limitMinutes, expiresIn, isNear) => {
  expect(isNearEnd({ limitMinutes, expiresIn })).toBe(isNear);
});

test('the hub is asked again when the warning is due, then every few seconds, and never if there is no limit', () => {
  expect(nextLookMs({ limitMinutes: 30, expiresIn: 1800 })).toBe(1_680_000);
  expect(nextLookMs({ limitMinutes: 30, expiresIn: 121 })).toBe(1000);
  expect(nextLookMs({ limitMinutes: 30, expiresIn: 60 })).toBe(5000);
  expect(nextLookMs({ limitMinutes: 30, expiresIn: 3 })).toBe(3000);
  expect(nextLookMs({ limitMinutes: 30, expiresIn: 0 })).toBe(1000);
  expect(nextLookMs({ limitMinutes: -1, expiresIn: -1 })).toBeUndefined();
});

test('an active user’s session is extended often enough for the shortest limit, and at most once a minute', () => {
  expect(keepPauseMs(1)).toBe(15_000);
  expect(keepPauseMs(30)).toBe(60_000);
});

test('the remaining time is counted down to the second', () => {
  expect([120_000, 61_001, 59_000, 1, 0, -5].map(countdown)).toEqual(['2:00', '1:02', '0:59', '0:01', '0:00', '0:00']);
});
