import { expect, test } from 'bun:test';
import { createSemaphore } from './semaphore.ts';

/** Work that ends on command; counts how many ran at a time. */
function workshop() {
  const open: (() => void)[] = [];
  let running = 0;
  let max = 0;
  const work = async () => {
    max = Math.max(max, ++running);
    await new Promise<void>((resolve) => open.push(resolve));
    running -= 1;
    return 'done';
  };
  return { work, open, max: () => max };
}
const flushed = () => new Promise((next) => setImmediate(next));

test('the number of parallel runs is limited, and all of them run', async () => {
  const enter = createSemaphore({ atOnce: 2, longestLine: 10 });
  const { work, open, max } = workshop();
  const all = Array.from({ length: 8 }, () => enter(work));
  for (let done = 0; done < 8; done++) {
    await flushed();
    open.shift()?.();
  }
  expect(await Promise.all(all)).toEqual(Array.from({ length: 8 }, () => 'done'));
  expect(max()).toBe(2);
});

test('a full queue refuses for now, and failing work frees its place', async () => {
  const enter = createSemaphore({ atOnce: 1, longestLine: 1 });
  const failing = enter(() => Promise.reject(new Error('broken')));
  const next = enter(() => Promise.resolve('next'));
  await expect(enter(() => Promise.resolve('late'))).rejects.toMatchObject({ result: 'tryAgain' });
  await expect(failing).rejects.toThrow('broken');
  expect(await next).toBe('next');
  expect(await enter(() => Promise.resolve('later'))).toBe('later');
});
