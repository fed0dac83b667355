import { expect, test } from 'bun:test';
import type { SystemLogLine } from '../../../../daemon/contract/system-log.ts';
import { keepLines, liveLines } from './live-lines.ts';

const line = (id: number): SystemLogLine => ({ id, time: id, level: 'info', scope: 'hub', text: `line ${id}` });
const ids = () => liveLines().lines.map(({ id }) => id);

test('lines are kept from the start of the stream, and a new stream starts over', () => {
  keepLines('init', { lines: [], last: 5 });
  keepLines('change', { lines: [line(6), line(7)], last: 7 });
  keepLines('change', { lines: [line(8)], last: 8 });
  expect([liveLines().since, ids()]).toEqual([5, [6, 7, 8]]);
  keepLines('init', { lines: [], last: 12 });
  expect([liveLines().since, ids()]).toEqual([12, []]);
});

test('the oldest of very many lines are dropped, and the start of the complete part is known', () => {
  keepLines('init', { lines: [], last: 0 });
  const many = Array.from({ length: 6000 }, (_, at) => line(at + 1));
  keepLines('change', { lines: many.slice(0, 4000), last: 4000 });
  expect(liveLines().since).toBe(0);
  keepLines('change', { lines: many.slice(4000), last: 6000 });
  expect(liveLines().since).toBe(1000);
  expect([ids()[0], ids().length]).toEqual([1001, 5000]);
});
