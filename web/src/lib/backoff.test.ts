import { expect, test } from 'bun:test';
import { backoffMs } from './backoff.ts';

test('the delay doubles up to its limit', () => {
  const middle = { random: () => 0.5 };
  expect([0, 1, 2, 3, 4, 40].map((attempt) => backoffMs(attempt, middle))).toEqual([500, 1000, 2000, 4000, 5000, 5000]);
});

test('the jitter is at most a third either way', () => {
  expect(backoffMs(0, { random: () => 0 })).toBe(333);
  expect(backoffMs(0, { random: () => 1 })).toBe(667);
});
