import { expect, test } from 'bun:test';
import type { SystemLogLine } from '../../../../daemon/contract/system-log.ts';
import { isGap, newLines, partsOf } from './line-parts.ts';
import type { SystemLogQuery } from './system-log-query.ts';

const line = (id: number, rest: Partial<SystemLogLine> = {}): SystemLogLine => ({
  ...{ id, time: id, level: 'info', scope: 'hub', text: `line ${id}` },
  ...rest,
});
const all: SystemLogQuery = { from: undefined, to: undefined, level: '', key: '' };
const page = (last: number, ...ids: number[]) => ({
  ...{ start: 0, total: ids.length, next: 0, last },
  list: ids.map((id) => line(id)),
});
const ids = (lists: readonly (readonly SystemLogLine[])[]) => lists.map((list) => list.map(({ id }) => id));

test('new matching lines are shown once, above the list', () => {
  const pages = [page(5, 5, 4), page(5, 3)];
  const live = { since: 3, lines: [line(4), line(5), line(6), line(7, { level: 'warn', scope: 'media/srt' })] };
  expect(ids(partsOf(pages, newLines(pages, live, all)))).toEqual([[7, 6], [5, 4], [3]]);
  const faults = { ...all, level: 'warn,error', key: 'SRT' };
  expect(newLines(pages, live, faults).map(({ id }) => id)).toEqual([7]);
  expect(newLines(pages, live, { ...all, to: 6 }).map(({ id }) => id)).toEqual([6]);
  expect(newLines([], live, all)).toEqual([]);
});

test('a gap between the list and the stream is detected', () => {
  const pages = [page(5, 5, 4)];
  expect(isGap(pages, { since: 5, lines: [] })).toBe(false);
  expect(isGap(pages, { since: 6, lines: [] })).toBe(true);
  expect(isGap([], { since: 6, lines: [] })).toBe(false);
});

test('a full part stays unchanged when more lines arrive', () => {
  const pages = [page(0)];
  const newer = (count: number) => Array.from({ length: count }, (_, at) => line(at + 1));
  const before = partsOf(pages, newer(90));
  const after = partsOf(pages, newer(95));
  expect(before.map(({ length }) => length)).toEqual([10, 40, 40]);
  expect(ids(after).slice(1)).toEqual(ids(before).slice(1));
  expect(after[0]?.[0]?.id).toBe(95);
});
