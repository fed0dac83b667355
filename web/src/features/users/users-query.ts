import { queryOptions } from '@tanstack/react-query';
import { userApi } from '../../../../daemon/contract/users.ts';
import { call } from '../../api/client.ts';

export const peopleQuery = queryOptions({
  queryKey: ['people'],
  queryFn: async ({ signal }) => {
    const { users = [], groups = [] } = await call(userApi.list, { query: { more: '1' }, signal });
    return { users, groups };
  },
});
