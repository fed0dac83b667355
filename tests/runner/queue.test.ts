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
  const done = runQueue(jobs, room, async ({ name }) => {
    running.push(name);
    const { promise, resolve } = Promise.withResolvers<void>();
    ends.set(name, resolve);
    await promise;
    running.splice(running.indexOf(name), 1);
    return name;
  });
  const end = async (name: string) => {
    ends.get(name)?.();
    // The queue starts the next job some microtasks later.
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { running, end, done };
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
