import { queryOptions } from '@tanstack/react-query';
import { sessionsApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: async ({ signal }) => (await call(sessionsApi.list, { signal })).list,
});
