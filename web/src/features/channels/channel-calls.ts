/** Calls that change channels, each with its effect on the Query cache. */
import type { Channel } from '../../../../daemon/contract/channels.ts';
import type { BodyInput } from '../../../../daemon/contract/endpoint.ts';
import { channelApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { channelsQuery } from '../../shared/streams/channels-query.ts';

const refresh = () => queryClient.invalidateQueries({ queryKey: ['channels'] });

export async function addChannel(body: BodyInput<typeof channelApi.add>): Promise<number> {
  const { id } = await call(channelApi.add, { body });
  await refresh();
  return id;
}

export async function changeChannel(body: BodyInput<typeof channelApi.set>): Promise<void> {
  await call(channelApi.set, { body });
  await refresh();
}

/** The page already has the key; the call records the reveal in the operation log. */
export async function revealPushKey(id: number): Promise<void> {
  await call(channelApi.revealKey, { body: { id } });
}

export async function deleteChannel(id: number): Promise<void> {
  await call(channelApi.del, { body: { id } });
  await refresh();
}

/** Optimistic update, rolled back if the hub refuses; the next state from the hub overrides both. */
export async function enableChannel(id: number, enable: boolean): Promise<void> {
  const before = queryClient.getQueryData(channelsQuery.queryKey);
  patchChannel(id, (channel) => ({
    ...channel,
    state: enable ? 'waiting' : 'disabled',
    config: { ...channel.config, enable },
    applied: false,
  }));
  try {
    await call(channelApi.enable, { body: { id, enable } });
  } catch (error) {
    queryClient.setQueryData(channelsQuery.queryKey, before);
    throw error;
  }
}

/** Returns the new revision. */
export async function setChannelInput(body: BodyInput<typeof channelApi.setInput>): Promise<number> {
  const { revision } = await call(channelApi.setInput, { body });
  await refresh();
  return revision;
}

/** The event stream delivers the updated client list. */
export async function disconnectClient(id: number, client: number): Promise<void> {
  await call(channelApi.disconnectClient, { body: { id, client } });
}

export async function enableOutput(id: number, output: number, enable: boolean): Promise<void> {
  const before = queryClient.getQueryData(channelsQuery.queryKey);
  patchChannel(id, (channel) => ({
    ...channel,
    outputs: {
      ...channel.outputs,
      list: channel.outputs.list.map((one) => (one.id === output ? { ...one, enable } : one)),
    },
  }));
  try {
    await call(channelApi.enableOutput, { body: { id, output, enable } });
  } catch (error) {
    queryClient.setQueryData(channelsQuery.queryKey, before);
    throw error;
  }
}

function patchChannel(id: number, change: (channel: Channel) => Channel): void {
  queryClient.setQueryData(channelsQuery.queryKey, (list) =>
    list?.map((channel) => (channel.id === id ? change(channel) : channel)),
  );
}
