import { describe, expect, test } from 'bun:test';
import type { Channel } from '../../../../daemon/contract/channels.ts';
import { applyChannelsEvent } from './channels-query.ts';

const channel = (id: number, kbps = 0): Channel => ({ id, kbps }) as Channel;
const ids = (list: Channel[] | undefined) => list?.map(({ id }) => id);

describe('an event', () => {
  test('of the first kind replaces the list', () => {
    const next = applyChannelsEvent([channel(1)], 'init', { changed: [channel(2), channel(3)], removed: [] });
    expect(ids(next)).toEqual([2, 3]);
  });

  test('of a change keeps the order and puts new channels last', () => {
    const before = [channel(1), channel(2)];
    const next = applyChannelsEvent(before, 'change', { changed: [channel(9), channel(1, 500)], removed: [] });
    expect(ids(next)).toEqual([1, 2, 9]);
    expect(next?.[0]?.kbps).toBe(500);
    expect(next?.[1]).toBe(before[1]!);
  });

  test('of a removal takes the channel out', () => {
    expect(ids(applyChannelsEvent([channel(1), channel(2)], 'change', { changed: [], removed: [1] }))).toEqual([2]);
  });

  test('of a change is dropped while the list is unknown', () => {
    expect(applyChannelsEvent(undefined, 'change', { changed: [channel(1)], removed: [] })).toBeUndefined();
  });
});
