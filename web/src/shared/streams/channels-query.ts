/** All channels, in the order in which they were added, kept current by the `channels` topic. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { Channel } from '../../../../daemon/contract/channels.ts';
import { limits } from '../../../../daemon/contract/limits.ts';
import { channelApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { defineTopic, useTopic } from '../../api/live.ts';
import { createListKeeper } from '../../api/object-list.ts';
import { queryClient } from '../../api/query-client.ts';
import { useMay } from '../../api/session.ts';

/** The limits of the event stream. Without them a response holds only the first ten outputs and clients per channel. */
const wholeChannel = { 'output-count': limits.outputsPerChannel, 'client-count': limits.shownClients };

export const channelsQuery = queryOptions({
  queryKey: ['channels', 'all'],
  queryFn: async ({ signal }): Promise<Channel[]> => {
    const query = { count: limits.page.max, ...wholeChannel };
    return (await call(channelApi.dashboard, { query, signal })).list;
  },
});

const applyEvent = createListKeeper<Channel>();

export const channelsTopic = defineTopic('channels', (kind, event) => {
  queryClient.setQueryData(channelsQuery.queryKey, (before) => applyEvent(before, kind, event));
});

/** All channels, live; undefined until the first response, or without the permission to view them. */
export function useChannels() {
  const may = useMay('channelView');
  useTopic(channelsTopic, may);
  return useQuery({ ...channelsQuery, enabled: may });
}
