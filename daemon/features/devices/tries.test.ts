import { expect, test } from 'bun:test';
import { createTries } from './tries.ts';

test('attempts count for a time that moves on, and memory for them is limited', () => {
  let now = 0;
  const tries = createTries({ maxTries: 2, withinMs: 100, now: () => now });
  tries.note('a');
  now = 60;
  tries.note('a');
  expect(tries.mayTry('a')).toBe(false);
  now = 110;
  expect(tries.mayTry('a')).toBe(true);
  tries.note('a');
  expect(tries.mayTry('a')).toBe(false);
  for (let key = 0; key < 5000; key++) tries.note(`other ${key}`);
  expect(tries.mayTry('a')).toBe(true);
});
