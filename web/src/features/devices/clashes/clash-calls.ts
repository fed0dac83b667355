import { queryOptions } from '@tanstack/react-query';
import { deviceClashApi } from '../../../api/calls.ts';
import { call } from '../../../api/client.ts';
import { changing } from '../../../api/query-client.ts';

export const clashesQuery = queryOptions({
  queryKey: ['devices', 'clashes'],
  queryFn: async ({ signal }) => (await call(deviceClashApi.list, { signal })).list,
  refetchInterval: 5000,
});

export const decideClash = changing(deviceClashApi.decide, 'devices');
