import { queryOptions } from '@tanstack/react-query';
import { tokenApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';

export const tokensQuery = queryOptions({
  queryKey: ['tokens'],
  queryFn: async ({ signal }) => (await call(tokenApi.list, { signal })).list,
});
