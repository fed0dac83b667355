import { queryOptions } from '@tanstack/react-query';
import { authApi } from '../../../../daemon/contract/auth.ts';
import { call } from '../../api/client.ts';

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: async ({ signal }) => (await call(authApi.sessions, { signal })).list,
});
