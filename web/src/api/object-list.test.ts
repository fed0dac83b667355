import { beforeEach, describe, expect, test } from 'bun:test';
import { createListKeeper, sharedItems } from './object-list.ts';

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

  test('of a removed object that also changed takes it out, and names each new one once', () => {
    const event = { changed: [thing(1, 5), thing(7), thing(7, 3)], removed: [1], left: 0 };
    expect(apply([thing(1), thing(2)], 'change', event)).toEqual([thing(2), thing(7, 3)]);
  });
});

describe('a list that arrives again', () => {
  const before = [thing(1), thing(2, 7), thing(3)];

  test('is the same one if nothing has changed', () => {
    expect(sharedItems(before, [...before])).toBe(before);
    expect(
      sharedItems(
        before,
        before.map((one) => ({ ...one })),
      ),
    ).toBe(before);
  });

  test('keeps the objects that are equal', () => {
    const next = sharedItems(before, [{ ...before[0]! }, thing(2, 8), before[2]!, thing(4)]) as Thing[];
    expect(next).toEqual([thing(1), thing(2, 8), thing(3), thing(4)]);
    expect([next[0] === before[0], next[1] === before[1], next[2] === before[2]]).toEqual([true, false, true]);
    expect(sharedItems(before, before.slice(0, 2))).toEqual(before.slice(0, 2));
  });

  test('may be the first one', () => {
    expect(sharedItems(undefined, before)).toBe(before);
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
