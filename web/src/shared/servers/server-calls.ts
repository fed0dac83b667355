import { queryOptions } from '@tanstack/react-query';
import { limits } from '../../../../daemon/contract/limits.ts';
import { serverApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { changing } from '../../api/query-client.ts';

export const serversQuery = queryOptions({
  queryKey: ['servers', 'all'],
  queryFn: async ({ signal }) => (await call(serverApi.list, { query: { count: limits.page.max }, signal })).list,
});

export const addServer = changing(serverApi.add, 'servers');
export const changeServer = changing(serverApi.set, 'servers');
export const deleteServer = changing(serverApi.del, 'servers');
export const addOutputOfServer = changing(serverApi.addOutput, 'outputs', 'channels');
