import { expect, test } from 'bun:test';
import { shareTurns } from './turns.ts';

const one = (name: string, since: number, state: 'waits' | 'runs' | 'done') => ({
  ...{ name, since, hasTurn: state !== 'waits', isDone: state === 'done' },
});
const share = (all: Parameters<typeof shareTurns<ReturnType<typeof one>>>[0], places: number) => {
  const { ending, beginning } = shareTurns(all, places);
  return { ending: ending.map(({ name }) => name), beginning: beginning.map(({ name }) => name) };
};

test('free places go to those that have waited longest', () => {
  const all = [one('a', 3, 'waits'), one('b', 1, 'waits'), one('c', 2, 'waits'), one('d', 0, 'done')];
  expect(share(all, 3)).toEqual({ ending: ['d'], beginning: ['b', 'c', 'a'] });
  expect(share(all, 9)).toEqual({ ending: [], beginning: ['b', 'c', 'a'] });
});

test('without a free place, the longest turns that are done end, and only as many as wait', () => {
  const running = [one('a', 2, 'done'), one('b', 1, 'done'), one('c', 0, 'runs')];
  expect(share(running, 3)).toEqual({ ending: [], beginning: [] });
  expect(share([...running, one('d', 9, 'waits')], 3)).toEqual({ ending: ['b'], beginning: ['d'] });
  const many = [one('e', 8, 'waits'), one('f', 7, 'waits'), one('d', 9, 'waits')];
  expect(share([...running, ...many], 3)).toEqual({ ending: ['b', 'a'], beginning: ['f', 'e'] });
});
