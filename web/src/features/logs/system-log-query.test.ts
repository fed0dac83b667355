import { expect, spyOn, test } from 'bun:test';
import { type InfiniteData, QueryClient } from '@tanstack/react-query';
import type { SystemLogLine } from '../../../../daemon/contract/system-log.ts';
import { keepSystemLog, type SystemLogQuery, systemLogQuery } from './system-log-query.ts';

const line = (id: number, rest: Partial<SystemLogLine> = {}): SystemLogLine => ({
  ...{ id, time: id, level: 'info', scope: 'hub', text: `line ${id}` },
  ...rest,
});
const all: SystemLogQuery = { from: undefined, to: undefined, level: '', key: '' };
const faults: SystemLogQuery = { ...all, level: 'warn,error', key: 'SRT' };

type Pages = InfiniteData<
  { start: number; total: number; last: number; next: number; list: SystemLogLine[] },
  number | undefined
>;

/** A client whose lists have the lines up to 5, and line 5 itself. */
function loaded() {
  const client = new QueryClient();
  for (const query of [all, faults]) {
    client.setQueryData(systemLogQuery(query).queryKey, {
      pages: [{ start: 0, total: 1, list: [line(5)], next: 0, last: 5 }],
      pageParams: [undefined],
    });
  }
  const pages = (query: SystemLogQuery) => client.getQueryData<Pages>(systemLogQuery(query).queryKey);
  const ids = (query: SystemLogQuery) => pages(query)?.pages.map(({ list }) => list.map(({ id }) => id));
  const asked = spyOn(client, 'invalidateQueries');
  return { client, pages, ids, asked };
}

test('new lines stand on top of the lists that they match, once, and of no other', () => {
  const { client, ids, asked } = loaded();
  keepSystemLog(client, { lines: [line(4), line(6), line(7, { level: 'warn', scope: 'media/srt' })], last: 7 });
  expect(ids(all)).toEqual([[7, 6, 5]]);
  expect(ids(faults)).toEqual([[7, 5]]);
  keepSystemLog(client, { lines: [line(8)], last: 8 });
  expect(ids(faults)).toEqual([[7, 5]]);
  expect(asked).not.toHaveBeenCalled();
});

test('a list that has missed a line is asked for again: when a stream begins, and when its lines begin too late', () => {
  const { client, ids, asked } = loaded();
  keepSystemLog(client, { lines: [], last: 5 });
  expect(asked).not.toHaveBeenCalled();
  keepSystemLog(client, { lines: [], last: 6 });
  expect(asked).toHaveBeenCalledTimes(2);
  keepSystemLog(client, { lines: [line(8)], last: 8 });
  expect(asked).toHaveBeenCalledTimes(4);
  expect(ids(all)).toEqual([[5]]);
});

test('a long list grows by pages, each of them asked for by the one before it', () => {
  const { client, pages, ids } = loaded();
  for (let id = 6; id <= 400; id++) keepSystemLog(client, { lines: [line(id)], last: id });
  const data = pages(all);
  expect(ids(all)?.flat()).toEqual(Array.from({ length: 396 }, (_, at) => 400 - at));
  expect(data?.pages[0]).toMatchObject({ total: 396, last: 400 });
  expect(data?.pageParams).toEqual([undefined, ...(data?.pages.slice(0, -1).map(({ next }) => next) ?? [])]);
  for (const [at, page] of data?.pages.slice(0, -1).entries() ?? []) {
    expect([at, page.next]).toEqual([at, page.list.at(-1)?.id ?? 0]);
  }
});
