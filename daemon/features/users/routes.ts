import { userApi } from '../../contract/users.ts';
import { bind, type Route } from '../../http/route.ts';
import type { GroupService } from './groups.ts';
import type { UserService } from './service.ts';

export function userRoutes(users: UserService, groups: GroupService): Route[] {
  return [
    bind(userApi.list, ({ query }) => ({
      ...(query.type !== 'usr' && { groups: groups.list(groupQuery(query)) }),
      ...(query.type !== 'group' && { users: users.list() }),
    })),
    bind(userApi.add, async ({ body, actor }) => {
      const { 'group-id': groupId, ...user } = body;
      return { id: await users.create(actor, { ...user, groupId }) };
    }),
    bind(userApi.set, ({ body, actor }) => {
      const { 'group-id': groupId, ...change } = body;
      return { revision: users.set(actor, { ...change, groupId }) };
    }),
    bind(userApi.del, ({ body, actor }) => users.del(actor, body.name)),
    bind(userApi.addGroup, ({ body, actor }) => ({ id: groups.add(actor, body) })),
    bind(userApi.setGroup, ({ body, actor }) => ({ revision: groups.set(actor, body) })),
    bind(userApi.delGroup, ({ body, actor }) => groups.del(actor, body.id)),
  ];
}

function groupQuery({
  type,
  id,
  more,
}: {
  type?: string | undefined;
  id?: number | undefined;
  more?: number | undefined;
}) {
  return { id: type === 'group' ? id : undefined, isDetailed: more === 1 };
}
