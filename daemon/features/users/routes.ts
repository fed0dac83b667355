import { userApi } from '../../contract/users.ts';
import { bind, type Route } from '../../http/route.ts';
import type { GroupService } from './groups.ts';
import type { UserService } from './service.ts';

export function userRoutes(users: UserService, groups: GroupService): Route[] {
  return [
    bind(userApi.list, ({ query }) => ({
      ...(query.type !== 'usr' && {
        groups: groups.list({ id: query.type === 'group' ? query.id : undefined, isDetailed: query.more === 1 }),
      }),
      ...(query.type !== 'group' && { users: users.list() }),
    })),
    bind(userApi.add, async ({ body, actor }) => ({ id: await users.create(actor, body) })),
    bind(userApi.set, ({ body, actor }) => ({ revision: users.set(actor, body) })),
    bind(userApi.del, ({ body, actor }) => users.del(actor, body.name)),
    bind(userApi.addGroup, ({ body, actor }) => ({ id: groups.add(actor, body) })),
    bind(userApi.setGroup, ({ body, actor }) => ({ revision: groups.set(actor, body) })),
    bind(userApi.delGroup, ({ body, actor }) => groups.del(actor, body.id)),
  ];
}
