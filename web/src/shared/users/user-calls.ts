import type { BodyInput } from '../../../../daemon/contract/endpoint.ts';
import { userApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { type Credentials, presentPassword } from '../password/auth-calls.ts';

/** The user's own permissions may have changed, too. */
const refresh = () =>
  Promise.all(['people', 'session'].map((noun) => queryClient.invalidateQueries({ queryKey: [noun] })));

export async function addUser(body: BodyInput<typeof userApi.add>): Promise<void> {
  await call(userApi.add, { body });
  await refresh();
}

export async function changeUser(body: BodyInput<typeof userApi.set>): Promise<void> {
  await call(userApi.set, { body });
  await refresh();
}

export async function deleteUser(name: string): Promise<void> {
  await call(userApi.del, { body: { name } });
  await refresh();
}

export async function setPassword(body: BodyInput<typeof userApi.update>): Promise<void> {
  await call(userApi.update, { body });
}

export async function changeOwnPassword(
  by: Credentials,
  change: Pick<BodyInput<typeof userApi.update>, 'password' | 'end-tokens'>,
): Promise<void> {
  const present = await presentPassword(by.id, by.password);
  const old = 'password' in present ? { 'old-password': present.password } : present;
  await call(userApi.update, { body: { ...change, ...old } });
}

export async function addGroup(body: BodyInput<typeof userApi.addGroup>): Promise<number> {
  const { id } = await call(userApi.addGroup, { body });
  await refresh();
  return id;
}

/** Returns the new revision. */
export async function changeGroup(body: BodyInput<typeof userApi.setGroup>): Promise<number> {
  const { revision } = await call(userApi.setGroup, { body });
  await refresh();
  return revision;
}

export async function deleteGroup(id: number): Promise<void> {
  await call(userApi.delGroup, { body: { id } });
  // Not awaited: the user leaves the group's page before the group disappears from the lists.
  void refresh();
}
