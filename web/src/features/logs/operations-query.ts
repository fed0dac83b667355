import { type InfiniteData, infiniteQueryOptions, keepPreviousData, type QueryClient } from '@tanstack/react-query';
import type { ResponseOf } from '../../../../daemon/contract/endpoint.ts';
import { logApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { newestOnly } from './newest-only.ts';

type Asked = Readonly<Record<'key' | 'user' | 'result' | 'from' | 'to', string | number | undefined>>;

/** The filters that are set, as query parameters. */
export function givenOf(asked: Asked): Record<string, string> {
  const given = Object.entries(asked).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}

/** Small enough to render within one frame. */
const pageSize = 30;
type Page = ResponseOf<typeof logApi.list> & { readonly at: number };

/**
 * The log, searched and paged by the hub, which keeps a hundred thousand entries. It is not polled: a call counts as
 * use, and an open log would keep its session alive forever.
 */
export function operationsQuery(asked: Asked) {
  return infiniteQueryOptions({
    queryKey: ['logs', 'operations', givenOf(asked)],
    queryFn: async ({ signal, pageParam }): Promise<Page> => {
      const before = pageParam === undefined ? {} : { before: pageParam };
      const page = await call(logApi.list, { query: { ...givenOf(asked), ...before, count: pageSize }, signal });
      return { ...page, at: Date.now() };
    },
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ next }) => (next === 0 ? undefined : next),
    placeholderData: keepPreviousData,
  });
}

/** Refetches the newest entries and drops the older pages. */
export function refreshOperations(client: QueryClient, asked: Asked): Promise<void> {
  const { queryKey } = operationsQuery(asked);
  client.setQueryData<InfiniteData<Page, number | undefined>>(queryKey, newestOnly);
  return client.refetchQueries({ queryKey, exact: true });
}
