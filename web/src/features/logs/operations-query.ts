import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { logApi } from '../../../../daemon/contract/logs.ts';
import { call } from '../../api/client.ts';

type Asked = Readonly<Record<'key' | 'user' | 'result' | 'from' | 'to', string | number | undefined>>;

interface OperationsPage {
  readonly asked: Asked;
  /** From 0. */
  readonly page: number;
  readonly pageSize: number;
}

/** What is set, as the query of a call. */
export function givenOf(asked: Asked): Record<string, string> {
  const given = Object.entries(asked).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}

/**
 * One page of the log, searched and cut by the hub, which keeps a hundred thousand entries. It isn't asked again by the
 * clock: a call counts as use, and an open log would keep its session alive for ever.
 */
export function operationsQuery({ asked, page, pageSize }: OperationsPage) {
  const query = { start: page * pageSize, count: pageSize, ...givenOf(asked) };
  return queryOptions({
    queryKey: ['logs', 'operations', query],
    queryFn: ({ signal }) => call(logApi.list, { query, signal }),
    placeholderData: keepPreviousData,
  });
}
