import { expect, test } from 'bun:test';
import { createSemaphore } from './semaphore.ts';
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
  const transfer = bucket.add();
  for (let at = 0; at < 100; at += 1) await transfer.take(10_000, unaborted);
  // A megabyte in a second; 100 ms of it at once, and the last part on credit.
  expect(bucket.now()).toBeGreaterThan(850);
  expect(bucket.now()).toBeLessThan(1000);
});

test('a pause saves no more than the burst', async () => {
  const bucket = bucketOf(() => 1_000_000);
  const transfer = bucket.add();
  await transfer.take(1, unaborted);
  bucket.pass(60_000);
  const before = bucket.now();
  for (let at = 0; at < 100; at += 1) await transfer.take(10_000, unaborted);
  expect(bucket.now() - before).toBeGreaterThan(850);
});

test('the first transfer gets what it can take, the second one the rest, and something every 5 s in any case', async () => {
  const bucket = bucketOf(() => 1_000_000);
  const taken = [0, 0];
  const taking = async (which: number, untilMs: number) => {
    const transfer = bucket.add();
    while (bucket.now() < untilMs) {
      await transfer.take(10_000, unaborted);
      taken[which]! += 10_000;
    }
  };
  await Promise.all([taking(0, 21_000), taking(1, 21_000)]);
  expect(taken[0]).toBeGreaterThan(20_500_000);
  // The burst at the beginning, and one part after 5, 10, 15 and 20 s.
  expect(taken[1]).toBeGreaterThanOrEqual(40_000);
  expect(taken[1]).toBeLessThan(200_000);
  expect(taken[0]! + taken[1]!).toBeLessThan(21_200_000);
});

test('transfers that need time afterwards leave none of the rate unused', async () => {
  const [partBytes, parts, transfers, atOnce, afterMs, perSecond] = [64 << 10, 80, 50, 32, 4000, 12_500_000];
  let now = 0;
  const sleeping: { readonly until: number; readonly wake: () => void }[] = [];
  const sleep = (ms: number) => new Promise<void>((wake) => void sleeping.push({ until: now + ms, wake }));
  const bucket = createTokenBucket({ rate: () => perSecond, burstMs: 200, elapsed: () => now, wait: sleep });
  const inTurn = createSemaphore({ atOnce, longestLine: transfers });
  let sentAt = 0;
  let isOver = false;
  const all = Array.from({ length: transfers }, () =>
    inTurn(async () => {
      const transfer = bucket.add();
      for (let part = 0; part < parts; part++) {
        await transfer.take(partBytes, unaborted);
        await sleep(1);
      }
      sentAt = now;
      await sleep(afterMs);
    }),
  );
  void Promise.all(all).then(() => {
    isOver = true;
  });
  while (!isOver) {
    await new Promise(setImmediate);
    const first = sleeping.toSorted((a, b) => a.until - b.until)[0];
    if (first === undefined) continue;
    sleeping.splice(sleeping.indexOf(first), 1);
    now = first.until;
    first.wake();
  }
  expect((transfers * parts * partBytes) / perSecond / (sentAt / 1000)).toBeGreaterThan(0.97);
});

test('an aborted one leaves the line, and the next one is not held up', async () => {
  const bucket = bucketOf(() => 1000);
  const [first, second] = [bucket.add(), bucket.add()];
  await first.take(5000, unaborted);
  const cancel = new AbortController();
  const waiting = first.take(5000, cancel.signal);
  cancel.abort(new Error('canceled'));
  await expect(waiting).rejects.toThrow('canceled');
  await expect(first.take(1, cancel.signal)).rejects.toThrow('canceled');
  await second.take(1, unaborted);
  expect(bucket.now()).toBeLessThan(6000);
});

test('a change of the rate takes effect at once, and without a limit nothing waits', async () => {
  let rate = 1000;
  const bucket = bucketOf(() => rate);
  const transfer = bucket.add();
  await transfer.take(100_000, unaborted);
  rate = Number.POSITIVE_INFINITY;
  await transfer.take(1_000_000, unaborted);
  expect(bucket.now()).toBe(0);
});
