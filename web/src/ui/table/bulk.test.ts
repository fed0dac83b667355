import { expect, test } from 'bun:test';
import { runBulk } from './bulk.ts';

const items = Array.from({ length: 11 }, (_, at) => ({ id: at, name: `Item ${at}` }));

test('every item is handled once, at most four at a time, with progress', async () => {
  let running = 0;
  let most = 0;
  const handled: number[] = [];
  const progress: number[] = [];
  const run = async ({ id }: { id: number }) => {
    running += 1;
    most = Math.max(most, running);
    await Promise.resolve();
    handled.push(id);
    running -= 1;
  };
  expect(await runBulk(items, run, (finished) => progress.push(finished))).toEqual({ done: 11, failed: [] });
  expect(handled.toSorted((a, b) => a - b)).toEqual(items.map(({ id }) => id));
  expect(most).toBe(4);
  expect(progress.at(-1)).toBe(11);
});

test('one that fails is reported and does not stop the others', async () => {
  const error = new Error('refused');
  const run = ({ id }: { id: number }) => (id === 2 ? Promise.reject(error) : Promise.resolve());
  expect(await runBulk(items, run, () => {})).toEqual({ done: 10, failed: [{ item: items[2]!, error }] });
});
