import { queryOptions } from '@tanstack/react-query';
import { limits } from '../../../../daemon/contract/limits.ts';
import { firmwareApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { changing } from '../../api/query-client.ts';

/** The library, and the products of the devices that the user sees. */
export const firmwareQuery = queryOptions({
  queryKey: ['firmware', 'all'],
  // Uploads and upgrades of other users change it, too.
  refetchInterval: 5000,
  queryFn: ({ signal }) => call(firmwareApi.list, { query: { count: limits.page.max }, signal }),
});

export const deleteFirmware = changing(firmwareApi.del, 'firmware');
