import { expect, test } from 'bun:test';
import { oneAtATime } from './one-at-a-time.ts';

test('tasks run in the order of their calls, each after the one before it', async () => {
  const inTurn = oneAtATime();
  const heard: string[] = [];
  const first = Promise.withResolvers<void>();
  const all = [
    inTurn(async () => {
      await first.promise;
      heard.push('first');
    }),
    inTurn(() => void heard.push('second')),
  ];
  await Promise.resolve();
  expect(heard).toEqual([]);
  first.resolve();
  await Promise.all(all);
  expect(heard).toEqual(['first', 'second']);
});

test('a task that fails rejects for its caller only', async () => {
  const inTurn = oneAtATime();
  const failed = inTurn(() => Promise.reject(new Error('no')));
  const next = inTurn(() => 'done');
  await expect(failed).rejects.toThrow('no');
  expect(await next).toBe('done');
});
