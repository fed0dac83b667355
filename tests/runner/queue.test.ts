import { expect, test } from 'bun:test';
import type { Job, Weight } from './jobs.ts';
import { cores, longestFirst, runQueue } from './queue.ts';

const job = (name: string, weight: Weight): Job => ({
  ...{ suite: 'unit', name, command: [], report: 'none', weight, files: [], limitSeconds: 1 },
});

/** Runs jobs that end when the test calls `end`. */
function setUp(jobs: readonly Job[], room: number) {
  const ends = new Map<string, () => void>();
  const running: string[] = [];
  const idle = new Set<() => void>();
  const untilIdle = () => new Promise<void>((resolve) => void idle.add(resolve));
  const done = runQueue(jobs, { cores: room, untilIdle }, async ({ name }) => {
    running.push(name);
    const { promise, resolve } = Promise.withResolvers<void>();
    ends.set(name, resolve);
    await promise;
    running.splice(running.indexOf(name), 1);
    return name;
  });
  // The queue starts the next job some microtasks later.
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const end = (name: string) => {
    ends.get(name)?.();
    return settle();
  };
  const beIdle = () => {
    for (const resolve of idle) resolve();
    idle.clear();
    return settle();
  };
  return { running, end, beIdle, done };
}

test('two cores run two busy jobs, and the next starts when one ends', async () => {
  const { running, end, done } = setUp([job('a', 'cpu'), job('b', 'cpu'), job('c', 'cpu')], 2);
  expect(running).toEqual(['a', 'b']);
  await end('a');
  expect(running).toEqual(['b', 'c']);
  await end('b');
  await end('c');
  expect(await done).toEqual(['a', 'b', 'c']);
});

test('jobs that mostly wait overtake a busy job that does not fit', async () => {
  const waits = ['w1', 'w2', 'w3', 'w4', 'w5'];
  const [first = '', ...rest] = waits;
  const jobs = [job('a', 'cpu'), job(first, 'wait'), job('b', 'cpu'), ...rest.map((name) => job(name, 'wait'))];
  const { running, end, done } = setUp(jobs, 2);
  expect(running).toEqual(['a', ...waits.slice(0, Math.floor(1 / cores.wait))]);
  for (const name of [...waits, 'a', 'b']) await end(name);
  expect(new Set(await done)).toEqual(new Set(['a', 'b', ...waits]));
});

test('one more job starts whenever the cores are idle: those that mostly wait first, and never too many', async () => {
  const waits = Array.from({ length: 6 }, (_, at) => `w${at}`);
  const busy = Array.from({ length: 8 }, (_, at) => `b${at}`);
  const jobs = [...busy.map((name) => job(name, 'cpu')), ...waits.map((name) => job(name, 'wait'))];
  const { running, end, beIdle, done } = setUp(jobs, 2);
  expect(running).toEqual(['b0', 'b1']);
  await beIdle();
  expect(running).toEqual(['b0', 'b1', 'w0']);
  await end('w0');
  expect(running).toEqual(['b0', 'b1']);
  for (const _ of jobs) await beIdle();
  expect(running).toEqual(['b0', 'b1', 'w1', 'w2', 'w3', 'w4', 'w5', 'b2', 'b3', 'b4']);
  for (const name of [...waits, ...busy]) await end(name);
  expect(await done).toHaveLength(jobs.length);
});

test('one job runs even if the machine is too small for it', async () => {
  const { running, end, done } = setUp([job('a', 'cpu'), job('b', 'cpu')], 0.5);
  expect(running).toEqual(['a']);
  await end('a');
  await end('b');
  expect(await done).toEqual(['a', 'b']);
});

test('jobs of unknown length come first, then the longest', () => {
  const jobs = ['short', 'new', 'long', 'also new'].map((name) => job(name, 'cpu'));
  const seconds: Record<string, number> = { short: 1, long: 9 };
  const order = longestFirst(jobs, ({ name }) => seconds[name]);
  expect(order.map(({ name }) => name)).toEqual(['new', 'also new', 'long', 'short']);
});
