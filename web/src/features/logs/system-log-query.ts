import { infiniteQueryOptions } from '@tanstack/react-query';
import type { ResponseOf } from '../../../../daemon/contract/endpoint.ts';
import type { SystemLogLine } from '../../../../daemon/contract/system-log.ts';
import { systemLogApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { givenOf, paging } from './log-query.ts';

export interface SystemLogQuery {
  readonly level: string;
  readonly key: string;
  readonly from: number | undefined;
  readonly to: number | undefined;
}

/** Small enough to render within one frame. */
export const linesPerPart = 40;
export type SystemLogPage = ResponseOf<typeof systemLogApi.list>;

export function systemLogQuery(query: SystemLogQuery) {
  return infiniteQueryOptions({
    queryKey: ['syslog', query],
    queryFn: ({ signal, pageParam }) =>
      call(systemLogApi.list, { query: { ...givenOf(query), before: pageParam, count: linesPerPart }, signal }),
    ...paging,
  });
}

/** The same filter as the hub applies. */
export function matches({ level, key, from, to }: SystemLogQuery, line: SystemLogLine): boolean {
  if (level !== '' && !level.split(',').includes(line.level)) return false;
  if (from !== undefined && line.time < from) return false;
  if (to !== undefined && line.time > to) return false;
  const sought = key.toLowerCase();
  return sought === '' || line.scope.toLowerCase().includes(sought) || line.text.toLowerCase().includes(sought);
}
