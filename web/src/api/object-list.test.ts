import { beforeEach, describe, expect, test } from 'bun:test';
import { createListKeeper } from './object-list.ts';

interface Thing {
  readonly id: number;
  readonly kbps: number;
}
const thing = (id: number, kbps = 0): Thing => ({ id, kbps });
const ids = (list: Thing[] | undefined) => list?.map(({ id }) => id);
let apply: ReturnType<typeof createListKeeper<Thing>>;
beforeEach(() => {
  apply = createListKeeper<Thing>();
});

describe('an event', () => {
  test('of the first kind replaces the list', () => {
    expect(ids(apply([thing(1)], 'init', { changed: [thing(2), thing(3)], removed: [], left: 0 }))).toEqual([2, 3]);
  });

  test('of a change keeps the order and the unchanged objects, and puts new ones last', () => {
    const before = [thing(1), thing(2)];
    const next = apply(before, 'change', { changed: [thing(9), thing(1, 500)], removed: [], left: 0 });
    expect(ids(next)).toEqual([1, 2, 9]);
    expect(next?.[0]?.kbps).toBe(500);
    expect(next?.[1]).toBe(before[1]!);
  });

  test('of a removal takes the object out', () => {
    expect(ids(apply([thing(1), thing(2)], 'change', { changed: [], removed: [1], left: 0 }))).toEqual([2]);
  });

  test('of a change is dropped while the list is unknown', () => {
    expect(apply(undefined, 'change', { changed: [thing(1)], removed: [], left: 0 })).toBeUndefined();
  });
});

test('a list that comes in parts is shown as it arrives', () => {
  const first = apply(undefined, 'init', { changed: [thing(1)], removed: [], left: 2 });
  expect(ids(first)).toEqual([1]);
  expect(ids(apply(first, 'change', { changed: [thing(2), thing(3)], removed: [], left: 0 }))).toEqual([1, 2, 3]);
});

test('after a reconnect, known objects stay until the last part, and then those that are gone leave', () => {
  const before = [thing(1), thing(2), thing(3)];
  const first = apply(before, 'init', { changed: [thing(1, 5)], removed: [], left: 1 });
  expect(first).toEqual([thing(1, 5), thing(2), thing(3)]);
  expect(apply(first, 'change', { changed: [thing(3)], removed: [], left: 0 })).toEqual([thing(1, 5), thing(3)]);
  expect(ids(apply(before, 'change', { changed: [], removed: [], left: 0 }))).toEqual([1, 2, 3]);
});
