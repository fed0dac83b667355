import { queryOptions } from '@tanstack/react-query';
import { limits } from '../../../../daemon/contract/limits.ts';
import { routeApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { changing } from '../../api/query-client.ts';

/** With the interfaces that routes can use. Interfaces lose and find their connection by themselves. */
export const routesQuery = queryOptions({
  queryKey: ['routes', 'all'],
  queryFn: ({ signal }) => call(routeApi.list, { query: { count: limits.page.max }, signal }),
  refetchInterval: 5000,
});

export const addRoute = changing(routeApi.add, 'routes');
export const changeRoute = changing(routeApi.set, 'routes');
export const deleteRoute = changing(routeApi.del, 'routes');
