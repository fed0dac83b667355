import { queryOptions } from '@tanstack/react-query';
import { limits } from '../../../../daemon/contract/limits.ts';
import type { PresetDirection } from '../../../../daemon/contract/presets.ts';
import { presetApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { changing } from '../../api/query-client.ts';

export function presetsQuery(dir: PresetDirection) {
  return queryOptions({
    queryKey: ['presets', dir],
    queryFn: async ({ signal }) =>
      (await call(presetApi.list, { query: { dir, count: limits.page.max }, signal })).list,
  });
}

export const savePreset = changing(presetApi.save, 'presets');
export const deletePreset = changing(presetApi.del, 'presets');
export const applyPreset = changing(presetApi.use, 'inputs', 'outputs', 'channels');
