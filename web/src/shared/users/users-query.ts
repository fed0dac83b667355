import { queryOptions } from '@tanstack/react-query';
import type { User, UserGroup } from '../../../../daemon/contract/users.ts';
import { userApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';

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
