/** All channels, in the order in which they were added, kept current by the `channels` topic. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { Channel } from '../../../../daemon/contract/channels.ts';
import { limits } from '../../../../daemon/contract/limits.ts';
import { channelApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { defineTopic, holdTopic, useTopic } from '../../api/live.ts';
import { createListKeeper } from '../../api/object-list.ts';
import { queryClient } from '../../api/query-client.ts';
import { useMay } from '../../api/session.ts';

/** The limits of the event stream. Without them a response holds only the first ten outputs and clients per channel. */
const wholeChannel = { 'output-count': limits.outputsPerChannel, 'client-count': limits.shownClients };

const listKey = ['channels', 'all'] as const;
const knownList = () => queryClient.getQueryData<Channel[]>(listKey);

/** If the stream has not started by then, the list is fetched. */
const streamMs = 3000;
/** Until the pages that wait for the list have subscribed. */
const holdMs = 5000;

/** Those who wait for the end of the first messages. */
const waiting = new Set<() => void>();

const applyEvent = createListKeeper<Channel>();

export const channelsTopic = defineTopic('channels', (kind, event) => {
  queryClient.setQueryData<Channel[]>(listKey, (before) => applyEvent(before, kind, event));
  if (event.left > 0) return;
  for (const done of waiting) done();
  waiting.clear();
});

async function fetchList(signal: AbortSignal): Promise<Channel[]> {
  const query = { count: limits.page.max, ...wholeChannel };
  return (await call(channelApi.dashboard, { query, signal })).list;
}

/** The stream begins with the list, so a page that opens does not fetch it, too. */
async function firstList(signal: AbortSignal): Promise<Channel[]> {
  holdTopic(channelsTopic, holdMs);
  await new Promise<void>((resolve) => {
    waiting.add(resolve);
    setTimeout(resolve, streamMs);
  });
  return knownList() ?? fetchList(signal);
}

export const channelsQuery = queryOptions({
  queryKey: listKey,
  queryFn: ({ signal }) => (knownList() === undefined ? firstList(signal) : fetchList(signal)),
  // The stream begins again with the whole list whenever a page subscribes.
  staleTime: Number.POSITIVE_INFINITY,
});

/** All channels, live; undefined until the first response, or without the permission to view them. */
export function useChannels() {
  const may = useMay('channelView');
  useTopic(channelsTopic, may);
  return useQuery({ ...channelsQuery, enabled: may });
}
