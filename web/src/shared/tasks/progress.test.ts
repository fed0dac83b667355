import { expect, test } from 'bun:test';
import { hasFailed, overallShare, timeLeft } from './progress.ts';
import { taskWith } from './task-for-test.ts';

test('the time left is told from the rate so far, once that says something', () => {
  const task = taskWith({ done: 4, total: 12, started: 1000 });
  expect(timeLeft(task, 21_000)).toBe(40_000);
  expect(timeLeft(task, 3000)).toBeUndefined();
  expect(timeLeft({ ...task, done: 0 }, 21_000)).toBeUndefined();
  expect(timeLeft({ ...task, done: 12 }, 21_000)).toBeUndefined();
  expect(timeLeft({ ...task, total: 0 }, 21_000)).toBeUndefined();
});

test('the overall progress is the mean of the tasks; one of unknown size counts as not started', () => {
  expect(overallShare([])).toBe(0);
  expect(overallShare([taskWith({ done: 5 }), taskWith({ done: 10 })])).toBe(0.75);
  expect(overallShare([taskWith({ done: 10 }), taskWith({ done: 300, total: 0 })])).toBe(0.5);
});

test('a task has failed if one of its items has, and if it was interrupted', () => {
  expect(hasFailed(taskWith({}))).toBe(false);
  expect(hasFailed(taskWith({ failed: 1 }))).toBe(true);
  expect(hasFailed(taskWith({ state: 'interrupted' }))).toBe(true);
  expect(hasFailed(taskWith({ state: 'canceled' }))).toBe(false);
});
