import type { BodyInput } from '../../../../daemon/contract/endpoint.ts';
import { outputApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';

/** An output appears in the output list and in its channel. */
const refresh = () =>
  Promise.all(['outputs', 'channels'].map((noun) => queryClient.invalidateQueries({ queryKey: [noun] })));

export async function addOutput(body: BodyInput<typeof outputApi.add>): Promise<void> {
  await call(outputApi.add, { body });
  await refresh();
}

export async function changeOutput(body: BodyInput<typeof outputApi.set>): Promise<void> {
  await call(outputApi.set, { body });
  await refresh();
}

/** The page already has the output; the call records the reveal of its secrets in the operation log. */
export async function revealOutput(id: number): Promise<void> {
  await call(outputApi.reveal, { body: { id } });
}

export async function deleteOutput(id: number, force: boolean): Promise<void> {
  await call(outputApi.del, { body: { id, ...(force && { force }) } });
  await refresh();
}
