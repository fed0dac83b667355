import { expect, test } from 'bun:test';
import type { Task } from '../../../../daemon/contract/tasks.ts';
import { createEndWatch } from './task-ends.ts';
import { taskWith } from './task-for-test.ts';

const running = (id: number) => taskWith({ id });
const ended = (id: number) => taskWith({ id, state: 'done', ended: 5 });
const event = (changed: Task[], left = 0) => ({ changed, removed: [], left });
const idsOf = (tasks: readonly Task[]) => tasks.map(({ id }) => id);

test('tasks that had ended before the page was loaded are not told, in however many messages they arrive', () => {
  const watch = createEndWatch();
  expect(watch(undefined, event([ended(1)], 1))).toEqual([]);
  expect(watch([ended(1)], event([ended(2)]))).toEqual([]);
  expect(watch([ended(1), ended(2)], event([ended(2)]))).toEqual([]);
});

test('a task is told once: when it ends, when it begins and ends in one message, and when a reconnect shows its end', () => {
  const watch = createEndWatch();
  watch(undefined, event([running(1)]));
  expect(watch([running(1)], event([running(1)]))).toEqual([]);
  expect(idsOf(watch([running(1)], event([ended(1), ended(2)])))).toEqual([1, 2]);
  expect(watch([ended(1), ended(2)], event([ended(1), ended(2)]))).toEqual([]);
  expect(idsOf(watch([ended(1), running(3)], event([ended(1), ended(3)], 4)))).toEqual([3]);
});

test('an event before the first list tells nothing', () => {
  const watch = createEndWatch();
  expect(watch(undefined, event([ended(1)]))).toEqual([]);
  expect(watch(undefined, event([ended(1), ended(2)], 3))).toEqual([]);
  expect(watch([ended(1), ended(2)], event([ended(3)]))).toEqual([]);
});
