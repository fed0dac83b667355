import type { BodyInput } from '../../../../daemon/contract/endpoint.ts';
import { inputApi } from '../../../../daemon/contract/inputs.ts';
import { call } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';

/** An input shows in its list and in the channels that take it. */
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

/** The page has the input already; the call puts the look at its secrets on record. */
export async function revealInput(id: number): Promise<void> {
  await call(inputApi.reveal, { body: { id } });
}

export async function deleteInput(id: number, force: boolean): Promise<void> {
  await call(inputApi.del, { body: { id, ...(force && { force }) } });
  await refresh();
}
