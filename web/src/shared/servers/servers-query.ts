import { queryOptions } from '@tanstack/react-query';
import { limits } from '../../../../daemon/contract/limits.ts';
import { serverApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';

export const serversQuery = queryOptions({
  queryKey: ['servers', 'all'],
  queryFn: async ({ signal }) => (await call(serverApi.list, { query: { count: limits.page.max }, signal })).list,
});
