import { type InfiniteData, infiniteQueryOptions, type QueryClient } from '@tanstack/react-query';
import type { AnswerOf } from '../../../../daemon/contract/endpoint.ts';
import type { SystemLogEvent } from '../../../../daemon/contract/events.ts';
import { type SystemLogLine, systemLogApi } from '../../../../daemon/contract/system-log.ts';
import { call } from '../../api/client.ts';

export interface SystemLogQuery {
  readonly level: string;
  readonly key: string;
  readonly from: number | undefined;
  readonly to: number | undefined;
}

const root = ['syslog'] as const;
const pageSize = 200;
/** Lines that follow live beyond these push out the oldest of the first page. */
const mostLive = 2000;
type Page = AnswerOf<typeof systemLogApi.list>;

export function systemLogQuery(query: SystemLogQuery) {
  return infiniteQueryOptions({
    queryKey: [...root, query],
    queryFn: ({ signal, pageParam }) => {
      const given = Object.entries({ ...query, before: pageParam, count: pageSize });
      const asked = given.flatMap(([name, value]) =>
        value === undefined || value === '' ? [] : [[name, String(value)]],
      );
      return call(systemLogApi.list, { query: Object.fromEntries(asked), signal });
    },
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ next }) => (next === 0 ? undefined : next),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function matches({ level, key, from, to }: SystemLogQuery, line: SystemLogLine): boolean {
  if (level !== '' && !level.split(',').includes(line.level)) return false;
  if (from !== undefined && line.time < from) return false;
  if (to !== undefined && line.time > to) return false;
  const sought = key.toLowerCase();
  return sought === '' || line.scope.toLowerCase().includes(sought) || line.text.toLowerCase().includes(sought);
}

/** Puts new lines on top of every list that they match; each once, although the list may have been loaded with them. */
export function keepSystemLog(client: QueryClient, { lines }: SystemLogEvent): void {
  if (lines.length === 0) return;
  for (const [queryKey] of client.getQueriesData<InfiniteData<Page>>({ queryKey: root })) {
    const query = queryKey[1] as SystemLogQuery;
    client.setQueryData<InfiniteData<Page>>(queryKey, (before) => {
      const [first, ...rest] = before?.pages ?? [];
      if (before === undefined || first === undefined) return before;
      const newest = first.list[0]?.id ?? 0;
      const added = lines.filter((line) => line.id > newest && matches(query, line)).toReversed();
      if (added.length === 0) return before;
      const list = [...added, ...first.list].slice(0, mostLive);
      return { ...before, pages: [{ ...first, total: first.total + added.length, list }, ...rest] };
    });
  }
}
