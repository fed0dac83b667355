import { queryOptions } from '@tanstack/react-query';
import { timeApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';

/** The state of NTP changes by itself. */
const everyMs = 5000;

export const timeQuery = queryOptions({
  queryKey: ['time'],
  queryFn: ({ signal }) => call(timeApi.get, { signal }),
  refetchInterval: everyMs,
});
