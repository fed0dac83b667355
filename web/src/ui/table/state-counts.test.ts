import { expect, test } from 'bun:test';
import type { StateFilter } from './column.ts';
import { stateCounts } from './state-counts.ts';

test('items are counted by state, and judged again only if they are other objects', () => {
  let judgments = 0;
  const inState = (wanted: string): StateFilter<{ readonly state: string }> => ({
    key: wanted,
    title: { id: wanted },
    has({ state }) {
      judgments += 1;
      return state === wanted;
    },
  });
  const states = [inState('live'), inState('failed')];
  const items = ['live', 'live', 'failed', 'other'].map((state) => ({ state }));
  expect(Object.fromEntries(stateCounts(states, items))).toEqual({ live: 2, failed: 1, '': 1 });
  const before = judgments;
  const changed = [{ state: 'failed' }, ...items.slice(1)];
  expect(Object.fromEntries(stateCounts(states, changed))).toEqual({ live: 1, failed: 2, '': 1 });
  expect(judgments - before).toBe(2);
});
