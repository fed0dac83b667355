import { queryOptions } from '@tanstack/react-query';
import { limits } from '../../../../daemon/contract/limits.ts';
import { outputApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';

export const outputsQuery = queryOptions({
  queryKey: ['outputs', 'all'],
  queryFn: async ({ signal }) => (await call(outputApi.list, { query: { count: limits.page.max }, signal })).list,
});

/** Address of a server of the hub as seen from this browser; the hub only knows that it listens on all addresses. */
export function reachableAddress(url: string, hub: string): string {
  return url.replace(/^rtsp:\/\/0\.0\.0\.0(?=[:/])/, `rtsp://${hub}`);
}
