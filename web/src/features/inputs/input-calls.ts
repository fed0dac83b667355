import type { BodyInput } from '../../../../daemon/contract/endpoint.ts';
import { inputApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';

/** An input appears in the input list and in the channels that use it. */
const refresh = () =>
  Promise.all(['inputs', 'channels'].map((noun) => queryClient.invalidateQueries({ queryKey: [noun] })));

export async function addInput(body: BodyInput<typeof inputApi.add>): Promise<void> {
  await call(inputApi.add, { body });
  await refresh();
}

export async function changeInput(body: BodyInput<typeof inputApi.set>): Promise<void> {
  await call(inputApi.set, { body });
  await refresh();
}

/** The page already has the input; the call records the reveal of its secrets in the operation log. */
export async function revealInput(id: number): Promise<void> {
  await call(inputApi.reveal, { body: { id } });
}

export async function deleteInput(id: number, force: boolean): Promise<void> {
  await call(inputApi.del, { body: { id, ...(force && { force }) } });
  await refresh();
}
