import { expect, test } from 'bun:test';
import { timing } from '../../timing.ts';
import { createBackoff } from './backoff.ts';

test('delays double from half a second to thirty seconds', () => {
  const backoff = createBackoff(() => 1);
  const delays = Array.from({ length: 9 }, () => backoff.next(false));
  expect(delays).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
});

test('jitter never shortens a delay by more than half', () => {
  expect(createBackoff(() => 0).next(false)).toBe(timing.backoff.firstMs / 2);
});

test('a permanent cause starts at ten seconds', () => {
  expect(createBackoff(() => 1).next(true)).toBe(timing.backoff.permanentMs);
});

test('a period of good flow resets the delay: a peer that disconnects after 5 s is called again soon, after 0.1 s it is not', () => {
  const backoff = createBackoff(() => 1);
  const after = (ms: number) => {
    backoff.ended(ms);
    return backoff.next(false);
  };
  expect([5000, 5000, 5000].map(after)).toEqual([500, 500, 500]);
  expect([100, 100, 100].map(after)).toEqual([1000, 2000, 4000]);
  expect(after(60_000)).toBe(500);
});
