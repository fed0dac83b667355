import { expect, test } from 'bun:test';
import { backoffLimits, createBackoff } from './backoff.ts';

test('delays double from half a second to thirty seconds', () => {
  const backoff = createBackoff(() => 1);
  const delays = Array.from({ length: 9 }, () => backoff.next(false));
  expect(delays).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
});

test('jitter never makes a delay shorter than half', () => {
  expect(createBackoff(() => 0).next(false)).toBe(backoffLimits.firstMs / 2);
});

test('a hopeless cause begins at ten seconds', () => {
  expect(createBackoff(() => 1).next(true)).toBe(backoffLimits.hopelessMs);
});

test('only a minute of good flow forgets the failures', () => {
  const backoff = createBackoff(() => 1);
  backoff.next(false);
  backoff.ended(59_000);
  expect(backoff.next(false)).toBe(1000);
  backoff.ended(60_000);
  expect(backoff.next(false)).toBe(500);
});
