import { expect, test } from 'bun:test';
import { createTokenBucket } from './token-bucket.ts';

const unaborted = new AbortController().signal;

/** A bucket whose clock goes forward only while it waits. */
function bucketOf(rate: () => number, burstMs = 100) {
  let now = 0;
  const bucket = createTokenBucket({
    ...{ rate, burstMs, elapsed: () => now },
    wait: async (ms) => {
      now += ms;
    },
  });
  return {
    ...bucket,
    now: () => now,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

test('takes no more than the rate and a burst', async () => {
  const bucket = bucketOf(() => 1_000_000);
  for (let at = 0; at < 100; at += 1) await bucket.take(10_000, unaborted);
  // A megabyte in a second; 100 ms of it at once, and the last part on credit.
  expect(bucket.now()).toBeGreaterThan(850);
  expect(bucket.now()).toBeLessThan(1000);
});

test('a pause saves no more than the burst', async () => {
  const bucket = bucketOf(() => 1_000_000);
  await bucket.take(1, unaborted);
  bucket.pass(60_000);
  const before = bucket.now();
  for (let at = 0; at < 100; at += 1) await bucket.take(10_000, unaborted);
  expect(bucket.now() - before).toBeGreaterThan(850);
});

test('two that take in turn get half each', async () => {
  const bucket = bucketOf(() => 1_000_000);
  const taken = [0, 0];
  const taking = async (which: number) => {
    while (bucket.now() < 2000) {
      await bucket.take(10_000, unaborted);
      taken[which]! += 10_000;
    }
  };
  await Promise.all([taking(0), taking(1)]);
  expect(Math.abs(taken[0]! - taken[1]!)).toBeLessThanOrEqual(10_000);
  expect(taken[0]! + taken[1]!).toBeLessThan(2_200_000);
});

test('an aborted one leaves the line, and the next one is not held up', async () => {
  const bucket = bucketOf(() => 1000);
  await bucket.take(5000, unaborted);
  const cancel = new AbortController();
  const waiting = bucket.take(5000, cancel.signal);
  cancel.abort(new Error('canceled'));
  await expect(waiting).rejects.toThrow('canceled');
  await bucket.take(1, unaborted);
  expect(bucket.now()).toBeLessThan(6000);
});

test('a change of the rate takes effect at once, and without a limit nothing waits', async () => {
  let rate = 1000;
  const bucket = bucketOf(() => rate);
  await bucket.take(100_000, unaborted);
  rate = Number.POSITIVE_INFINITY;
  await bucket.take(1_000_000, unaborted);
  expect(bucket.now()).toBe(0);
});
