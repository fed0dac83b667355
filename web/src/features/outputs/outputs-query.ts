import { queryOptions } from '@tanstack/react-query';
import { limits } from '../../../../daemon/contract/limits.ts';
import { outputApi } from '../../../../daemon/contract/outputs.ts';
import { call } from '../../api/client.ts';

export const outputsQuery = queryOptions({
  queryKey: ['outputs', 'all'],
  queryFn: async ({ signal }) => (await call(outputApi.list, { query: { count: limits.page.max }, signal })).list,
});
