import { queryOptions } from '@tanstack/react-query';
import type { BodyInput } from '../../../../daemon/contract/endpoint.ts';
import type { User, UserGroup } from '../../../../daemon/contract/users.ts';
import { sessionsApi, userApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { changing, refresh } from '../../api/query-client.ts';
import { type Credentials, presentPassword } from '../password/auth-calls.ts';

export interface People {
  readonly users: readonly User[];
  readonly groups: readonly UserGroup[];
}

export const peopleQuery = queryOptions({
  queryKey: ['people'],
  queryFn: async ({ signal }): Promise<People> => {
    const { users = [], groups = [] } = await call(userApi.list, { query: { more: '1' }, signal });
    return { users, groups };
  },
});

/** Whether this is Admin, who can neither be deleted nor lose permissions. */
export function isRoot({ id }: Pick<User, 'id'>): boolean {
  return id === 1;
}

// The user's own permissions may have changed, too.
export const addUser = changing(userApi.add, 'people', 'session');
export const changeUser = changing(userApi.set, 'people', 'session');
export const deleteUser = changing(userApi.del, 'people', 'session');
export const addGroup = changing(userApi.addGroup, 'people', 'session');
export const changeGroup = changing(userApi.setGroup, 'people', 'session');
export const setPassword = changing(userApi.update);

export const staySignedIn = changing(sessionsApi.stay, 'session');

export async function changeOwnPassword(
  by: Credentials,
  change: Pick<BodyInput<typeof userApi.update>, 'password' | 'end-tokens'>,
): Promise<void> {
  const present = await presentPassword(by.id, by.password);
  const old = 'password' in present ? { 'old-password': present.password } : present;
  await setPassword({ ...change, ...old });
}

export async function deleteGroup(id: number): Promise<void> {
  await call(userApi.delGroup, { body: { id } });
  // Not awaited: the user leaves the group's page before the group disappears from the lists.
  void refresh('people', 'session');
}
