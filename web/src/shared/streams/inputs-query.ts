import { queryOptions } from '@tanstack/react-query';
import { limits } from '../../../../daemon/contract/limits.ts';
import { inputApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';

export const inputsQuery = queryOptions({
  queryKey: ['inputs', 'all'],
  queryFn: async ({ signal }) => (await call(inputApi.list, { query: { count: limits.page.max }, signal })).list,
});
