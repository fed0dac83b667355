import { queryOptions } from '@tanstack/react-query';
import { settingsApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';

export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: ({ signal }) => call(settingsApi.get, { signal }),
});
