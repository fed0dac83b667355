import { expect, test } from 'bun:test';
import { type InfiniteData, QueryClient } from '@tanstack/react-query';
import type { SystemLogLine } from '../../../../daemon/contract/system-log.ts';
import { keepSystemLog, systemLogQuery } from './system-log-query.ts';

const line = (id: number, rest: Partial<SystemLogLine> = {}): SystemLogLine => ({
  ...{ id, time: id, level: 'info', scope: 'hub', text: `line ${id}` },
  ...rest,
});
const open = { from: undefined, to: undefined };

test('new lines stand on top of the lists that they match, once, and of no other', () => {
  const client = new QueryClient();
  const all = systemLogQuery({ ...open, level: '', key: '' }).queryKey;
  const faults = systemLogQuery({ ...open, level: 'warn,error', key: 'SRT' }).queryKey;
  for (const key of [all, faults]) {
    client.setQueryData(key, { pages: [{ start: 0, total: 1, list: [line(5)], next: 0 }], pageParams: [undefined] });
  }
  keepSystemLog(client, { lines: [line(4), line(6), line(7, { level: 'warn', scope: 'media/srt' })] });
  const ids = (key: typeof all) =>
    client.getQueryData<InfiniteData<{ list: SystemLogLine[] }>>(key)?.pages[0]?.list.map(({ id }) => id);
  expect(ids(all)).toEqual([7, 6, 5]);
  expect(ids(faults)).toEqual([7, 5]);
});
