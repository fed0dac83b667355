import type { BodyInput } from '../../../../daemon/contract/endpoint.ts';
import { serverApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';

const refresh = (...nouns: string[]) =>
  Promise.all(nouns.map((noun) => queryClient.invalidateQueries({ queryKey: [noun] })));

export async function addServer(body: BodyInput<typeof serverApi.add>): Promise<void> {
  await call(serverApi.add, { body });
  await refresh('servers');
}

export async function changeServer(body: BodyInput<typeof serverApi.set>): Promise<void> {
  await call(serverApi.set, { body });
  await refresh('servers');
}

export async function deleteServer(id: number): Promise<void> {
  await call(serverApi.del, { body: { id } });
  await refresh('servers');
}

export async function addOutputOfServer(body: BodyInput<typeof serverApi.addOutput>): Promise<void> {
  await call(serverApi.addOutput, { body });
  await refresh('outputs', 'channels');
}
