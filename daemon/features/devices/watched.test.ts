import { afterEach, beforeEach, expect, jest, test } from 'bun:test';
import { createWatched } from './watched.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

test('a device is held while it is looked at, and for 5 s after the last look', () => {
  const log: string[] = [];
  const watched = createWatched((sns) => {
    log.push(`hold ${sns}`);
    return () => log.push(`release ${sns}`);
  });
  watched.look('1');
  jest.advanceTimersByTime(4000);
  watched.look('1');
  jest.advanceTimersByTime(4000);
  expect(log).toEqual(['hold 1']);
  jest.advanceTimersByTime(1000);
  expect(log).toEqual(['hold 1', 'release 1']);
  watched.look('2');
  watched.close();
  jest.advanceTimersByTime(10_000);
  expect(log.slice(2)).toEqual(['hold 2', 'release 2']);
});
