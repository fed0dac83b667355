import { expect, test } from 'bun:test';
import { createThrottle } from './throttle.ts';

function setup(overrides: { longestQueue?: number; longestWaitMs?: number; maxKeys?: number } = {}) {
  let time = 1_000_000;
  const slept: number[] = [];
  const throttle = createThrottle({
    freeFailures: 3,
    firstDelayMs: 100,
    longestDelayMs: 1000,
    forgetAfterMs: 60_000,
    longestQueue: 4,
    longestWaitMs: 1000,
    maxKeys: 3,
    isPrecious: (key) => key === 'precious',
    ...overrides,
    now: () => time,
    sleep: (ms) => {
      slept.push(ms);
      time += ms;
      return Promise.resolve();
    },
  });
  const attempt = (key: string, right: boolean) =>
    throttle.run(
      key,
      () => Promise.resolve(right),
      (outcome) => !outcome,
    );
  return { throttle, attempt, slept, pass: (ms: number) => (time += ms) };
}

test('the first failures cause no delay, later ones wait longer and longer up to a limit', async () => {
  const { attempt, slept } = setup();
  for (let i = 0; i < 9; i++) await attempt('a', false);
  expect(slept).toEqual([100, 200, 400, 800, 1000, 1000]);
});

test('a success resets the delay, another key is not affected', async () => {
  const { attempt, slept } = setup();
  for (let i = 0; i < 4; i++) await attempt('a', false);
  await attempt('b', false);
  expect(slept).toEqual([100]);
  expect(await attempt('a', true)).toBe(true);
  await attempt('a', false);
  expect(slept).toEqual([100, 200]);
});

test('failures are forgotten after a while', async () => {
  const { attempt, slept, pass } = setup();
  for (let i = 0; i < 3; i++) await attempt('a', false);
  pass(60_001);
  await attempt('a', false);
  expect(slept).toEqual([]);
});

test('parallel attempts wait for each other, so that each one counts', async () => {
  const { attempt, slept } = setup();
  await Promise.all([1, 2, 3, 4].map(() => attempt('a', false)));
  expect(slept).toEqual([100]);
});

test('an attempt with a full queue is refused with the time to wait', async () => {
  const { attempt } = setup({ longestQueue: 2 });
  const all = await Promise.allSettled([1, 2, 3].map(() => attempt('a', false)));
  expect(all.map((one) => one.status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
  expect((all[2] as PromiseRejectedResult).reason).toMatchObject({ result: 'tryAgain', params: { 'retry-after': 1 } });
  await attempt('a', true);
});

test('parallel attempts that succeed all pass; those that fail are refused once the wait is long', async () => {
  const { attempt, slept } = setup({ longestQueue: 100 });
  expect(await Promise.all(Array.from({ length: 100 }, () => attempt('a', true)))).not.toContain(false);
  const guesses = await Promise.allSettled(Array.from({ length: 100 }, () => attempt('a', false)));
  expect(slept).toEqual([100, 200, 400]);
  expect(guesses.filter(({ status }) => status === 'fulfilled')).toHaveLength(6);
});

test('an outcome recorded elsewhere counts, and a key shows whether it has a delay', async () => {
  const { throttle, attempt, slept } = setup();
  for (let i = 0; i < 3; i++) {
    expect(throttle.isFree('a')).toBe(true);
    throttle.count('a', true);
  }
  expect(throttle.isFree('a')).toBe(false);
  await attempt('a', false);
  expect(slept).toEqual([100]);
  throttle.count('a', false);
  expect(throttle.isFree('a')).toBe(true);
});

test('an attempt that throws lets the next one run', async () => {
  const { throttle, attempt } = setup();
  const fails = throttle.run('a', () => Promise.reject(new Error('disk')), Boolean);
  await expect(fails).rejects.toThrow('disk');
  expect(await attempt('a', true)).toBe(true);
});

test('the number of keys is bounded: the one with the fewest failures goes, among equals the longest unused', async () => {
  const { attempt, slept } = setup();
  for (let i = 0; i < 3; i++) await attempt('a', false);
  for (const key of ['b', 'b', 'c', 'd', 'e', 'f']) await attempt(key, false);
  await attempt('a', false);
  expect(slept).toEqual([100]);
  // The key with two failures was kept as well, one of the others was not.
  await attempt('b', false);
  await attempt('b', false);
  for (let i = 0; i < 3; i++) await attempt('d', false);
  expect(slept).toEqual([100, 100]);
});

test('a precious key is removed last, however few failures it has', async () => {
  const { attempt, slept } = setup();
  await attempt('precious', false);
  for (const key of ['b', 'c', 'd', 'e']) for (let i = 0; i < 3; i++) await attempt(key, false);
  for (let i = 0; i < 3; i++) await attempt('precious', false);
  expect(slept).toEqual([100]);
});

test('expired failures are removed first', async () => {
  const { attempt, slept, pass } = setup();
  for (let i = 0; i < 3; i++) await attempt('precious', false);
  pass(60_001);
  for (const key of ['b', 'c', 'd', 'b', 'c', 'd', 'b', 'c', 'd', 'b', 'c', 'd']) await attempt(key, false);
  expect(slept).toEqual([100, 100, 100]);
});

test('when every remembered key is in use a new one is refused', async () => {
  const { throttle, attempt } = setup({ maxKeys: 1 });
  const gate = Promise.withResolvers<boolean>();
  const first = throttle.run('a', () => gate.promise, Boolean);
  await expect(attempt('b', true)).rejects.toMatchObject({ result: 'tryAgain' });
  gate.resolve(true);
  await first;
  expect(await attempt('b', true)).toBe(true);
});
