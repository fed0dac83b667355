import { queryOptions, useQuery } from '@tanstack/react-query';
import { systemApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { connection } from '../../api/connection.ts';
import { defineTopic } from '../../api/live.ts';
import { queryClient } from '../../api/query-client.ts';

/** Updated by the `system` topic every second; fetched only before its first message. */
export const systemStatusQuery = queryOptions({
  queryKey: ['system', 'status'],
  queryFn: async ({ signal }) => (await call(systemApi.status, { signal })).status,
});

export const systemTopic = defineTopic('system', (_kind, { changed: [status] }) => {
  if (!status) return;
  connection.sawBuild(status.system.info['build-id']);
  queryClient.setQueryData(systemStatusQuery.queryKey, status);
});

export const systemHistoryQuery = queryOptions({
  queryKey: ['system', 'history'],
  queryFn: ({ signal }) => call(systemApi.history, { signal }),
  refetchInterval: 10_000,
});

export function useSystem() {
  return useQuery(systemStatusQuery).data?.system;
}
