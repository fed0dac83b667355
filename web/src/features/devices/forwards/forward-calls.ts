/** Port forwards of the devices that the user sees, kept current by the `forwards` topic, and the calls about them. */
import { queryOptions } from '@tanstack/react-query';
import type { Forward } from '../../../../../daemon/contract/forwards.ts';
import { forwardApi } from '../../../api/calls.ts';
import { call } from '../../../api/client.ts';
import { defineTopic } from '../../../api/live.ts';
import { createListKeeper } from '../../../api/object-list.ts';
import { changing, queryClient } from '../../../api/query-client.ts';

const listKey = ['forwards', 'all'] as const;
const applyEvent = createListKeeper<Forward>();

export const forwardsTopic = defineTopic('forwards', (kind, event) => {
  queryClient.setQueryData<Forward[]>(listKey, (before) => applyEvent(before, kind, event));
});

export const forwardsQuery = queryOptions({
  queryKey: listKey,
  queryFn: async ({ signal }) => (await call(forwardApi.list, { signal })).list,
  staleTime: Number.POSITIVE_INFINITY,
});

/** Which ports of the device may be forwarded, and where a forward can listen. */
export const forwardOptionsQuery = (sn: string) =>
  queryOptions({
    queryKey: ['forwards', 'options', sn],
    queryFn: ({ signal }) => call(forwardApi.options, { query: { sn }, signal }),
  });

export const addForward = changing(forwardApi.add, 'forwards');
export const changeForward = changing(forwardApi.set, 'forwards');
export const deleteForward = changing(forwardApi.del, 'forwards');
export const startForward = changing(forwardApi.start, 'forwards');
export const stopForward = changing(forwardApi.stop, 'forwards');
export const setForwardPorts = changing(forwardApi.setPorts, 'forwards');
