import { infiniteQueryOptions } from '@tanstack/react-query';
import type { ResponseOf } from '../../../../daemon/contract/endpoint.ts';
import { logApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { givenOf, paging } from './log-query.ts';

type Asked = Readonly<Record<'key' | 'user' | 'result' | 'from' | 'to', string | number | undefined>>;

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
    ...paging,
  });
}
