import { queryOptions } from '@tanstack/react-query';
import { limits } from '../../../../daemon/contract/limits.ts';
import { ndiPresetApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';

/** Presets have no events: they are loaded again with each page that shows them, and after each change. */
export const ndiPresetsQuery = queryOptions({
  queryKey: ['ndi', 'presets'],
  queryFn: async ({ signal }) => (await call(ndiPresetApi.list, { query: { count: limits.page.max }, signal })).list,
});
