import type { BodyInput } from '../../../../daemon/contract/endpoint.ts';
import { presetApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';

const refresh = (...nouns: string[]) =>
  Promise.all(nouns.map((noun) => queryClient.invalidateQueries({ queryKey: [noun] })));

export async function savePreset(body: BodyInput<typeof presetApi.save>): Promise<void> {
  await call(presetApi.save, { body });
  await refresh('presets');
}

export async function deletePreset(id: number): Promise<void> {
  await call(presetApi.del, { body: { id } });
  await refresh('presets');
}

export async function applyPreset(body: BodyInput<typeof presetApi.use>): Promise<void> {
  await call(presetApi.use, { body });
  await refresh('inputs', 'outputs', 'channels');
}
