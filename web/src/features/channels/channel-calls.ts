/** Calls that change channels, each with its effect on the Query cache. */
import type { Channel } from '../../../../daemon/contract/channels.ts';
import { channelApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { changing, queryClient } from '../../api/query-client.ts';
import { channelsQuery } from '../../shared/streams/channels-query.ts';

export const addChannel = changing(channelApi.add, 'channels');
export const changeChannel = changing(channelApi.set, 'channels');
export const deleteChannel = changing(channelApi.del, 'channels');
export const setChannelInput = changing(channelApi.setInput, 'channels');
/** The page already has the key; the call records the reveal in the operation log. */
export const revealPushKey = changing(channelApi.revealKey);
/** The event stream delivers the updated client list. */
export const disconnectClient = changing(channelApi.disconnectClient);

export function enableChannel(id: number, enable: boolean): Promise<void> {
  const change = (channel: Channel): Channel => ({
    ...channel,
    state: enable ? 'waiting' : 'disabled',
    config: { ...channel.config, enable },
    applied: false,
  });
  return optimistically(id, change, () => call(channelApi.enable, { body: { id, enable } }));
}

export function enableOutput(id: number, output: number, enable: boolean): Promise<void> {
  const change = (channel: Channel): Channel => {
    const list = channel.outputs.list.map((one) => (one.id === output ? { ...one, enable } : one));
    return { ...channel, outputs: { ...channel.outputs, list } };
  };
  return optimistically(id, change, () => call(channelApi.enableOutput, { body: { id, output, enable } }));
}

/** Shows the change at once and takes it back if the hub refuses; the next state from the hub overrides both. */
async function optimistically(
  id: number,
  change: (channel: Channel) => Channel,
  send: () => Promise<unknown>,
): Promise<void> {
  const before = queryClient.getQueryData(channelsQuery.queryKey);
  queryClient.setQueryData(channelsQuery.queryKey, (list) =>
    list?.map((channel) => (channel.id === id ? change(channel) : channel)),
  );
  try {
    await send();
  } catch (error) {
    queryClient.setQueryData(channelsQuery.queryKey, before);
    throw error;
  }
}
