import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { limits } from '../../../../daemon/contract/limits.ts';
import { logApi } from '../../../../daemon/contract/logs.ts';
import { call } from '../../api/client.ts';

interface OperationsPage {
  readonly search: string;
  /** From 0. */
  readonly page: number;
  readonly pageSize: number;
}

/**
 * One page of the log, searched and cut by the hub, which keeps ten thousand entries. It isn't asked again by the
 * clock: a call counts as use, and an open log would keep its session alive for ever.
 */
export function operationsQuery({ search, page, pageSize }: OperationsPage) {
  const key = search.trim().slice(0, limits.name.max);
  const query = { start: page * pageSize, count: pageSize, ...(key !== '' && { key }) };
  return queryOptions({
    queryKey: ['logs', 'operations', query],
    queryFn: ({ signal }) => call(logApi.list, { query, signal }),
    placeholderData: keepPreviousData,
  });
}
