import { afterEach, beforeEach, expect, jest, test } from 'bun:test';
import { createFollower } from './follow.ts';

let stated: Record<string, string> = {};
let stored: string[] = [];
let at = 0;
beforeEach(() => {
  jest.useFakeTimers();
  [stated, stored, at] = [{}, [], 0];
});
afterEach(() => void jest.useRealTimers());

const pass = (ms: number) => {
  at += ms;
  jest.advanceTimersByTime(ms);
};
const follower = () =>
  createFollower({ store: (sns) => stored.push(...sns.map((sn) => `${sn} ${stated[sn]}`)) > 0, now: () => at });

test('three changes per minute are stored at once, and then the last one', () => {
  const { changed, close } = follower();
  for (let poll = 0; poll < 30; poll++) {
    stated = { A: `name ${poll}` };
    changed(['A']);
    pass(1000);
  }
  expect(stored).toEqual(['A name 0', 'A name 1', 'A name 2']);
  // The device states nothing new any more.
  pass(60_000);
  expect(stored.slice(3)).toEqual(['A name 29']);
  pass(600_000);
  expect(stored).toHaveLength(4);
  close();
});

test('a device that changes all the time does not delay others', () => {
  const { changed, close } = follower();
  stated = { A: 'x', B: 'y' };
  for (let poll = 0; poll < 5; poll++) changed(['A']);
  changed(['A', 'B']);
  expect(stored).toEqual(['A x', 'A x', 'A x', 'B y']);
  close();
});

test('a change that could not be stored is stored with the next report', () => {
  let isFull = true;
  const { changed, close } = createFollower({ store: (sns) => !isFull && stored.push(...sns) > 0, now: () => at });
  for (let poll = 0; poll < 5; poll++) changed(['A']);
  isFull = false;
  changed(['A']);
  expect(stored).toEqual(['A']);
  close();
});

test('nothing is stored once the hub stops', () => {
  const { changed, close } = follower();
  for (let poll = 0; poll < 5; poll++) changed(['A']);
  close();
  pass(120_000);
  expect(stored).toHaveLength(3);
});
