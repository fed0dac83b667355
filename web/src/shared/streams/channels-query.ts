/** All channels, in the order in which they were added, kept current by the `channels` topic. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { Channel } from '../../../../daemon/contract/channels.ts';
import type { ChannelsEvent } from '../../../../daemon/contract/events.ts';
import { limits } from '../../../../daemon/contract/limits.ts';
import { channelApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import type { EventKind } from '../../api/event-link.ts';
import { defineTopic, useTopic } from '../../api/live.ts';
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

export const channelsTopic = defineTopic('channels', (kind, event) => {
  queryClient.setQueryData(channelsQuery.queryKey, (before) => applyChannelsEvent(before, kind, event));
});

/** All channels, live; undefined until the first response, or without the permission to view them. */
export function useChannels() {
  const may = useMay('channelView');
  useTopic(channelsTopic, may);
  return useQuery({ ...channelsQuery, enabled: may });
}

/** A change to an unknown list is ignored: its `init` or the first response is still in flight. */
export function applyChannelsEvent(
  before: Channel[] | undefined,
  kind: EventKind,
  event: ChannelsEvent,
): Channel[] | undefined {
  if (kind === 'init') return event.changed;
  if (before === undefined) return undefined;
  const changed = new Map(event.changed.map((channel) => [channel.id, channel]));
  const removed = new Set(event.removed);
  const kept = before
    .filter((channel) => !removed.has(channel.id))
    .map((channel) => changed.get(channel.id) ?? channel);
  const known = new Set(before.map((channel) => channel.id));
  const added = event.changed.filter((channel) => !known.has(channel.id));
  return added.length === 0 ? kept : [...kept, ...added];
}
