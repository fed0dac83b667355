import { queryOptions } from '@tanstack/react-query';
import { limits } from '../../../../daemon/contract/limits.ts';
import { outputApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { changing } from '../../api/query-client.ts';

export const outputsQuery = queryOptions({
  queryKey: ['outputs', 'all'],
  queryFn: async ({ signal }) => (await call(outputApi.list, { query: { count: limits.page.max }, signal })).list,
});

// An output appears in the output list and in its channel.
export const addOutput = changing(outputApi.add, 'outputs', 'channels');
export const changeOutput = changing(outputApi.set, 'outputs', 'channels');
export const deleteOutput = changing(outputApi.del, 'outputs', 'channels');
/** The page already has the output; the call records the reveal of its secrets in the operation log. */
export const revealOutput = changing(outputApi.reveal);

/** Address of a server of the hub as seen from this browser; the hub only knows that it listens on all addresses. */
export function reachableAddress(url: string, hub: string): string {
  return url.replace(/^rtsp:\/\/0\.0\.0\.0(?=[:/])/, `rtsp://${hub}`);
}
