import { queryOptions } from '@tanstack/react-query';
import { networkApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { defineTopic } from '../../api/live.ts';
import { queryClient } from '../../api/query-client.ts';

/** Kept current by the `network` topic. */
export const networkQuery = queryOptions({
  queryKey: ['network'],
  queryFn: ({ signal }) => call(networkApi.get, { signal }),
});

export const networkTopic = defineTopic('network', (_kind, { changed: [network] }) => {
  if (!network) return;
  queryClient.setQueryData(networkQuery.queryKey, network);
});
