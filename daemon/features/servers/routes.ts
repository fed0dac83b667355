import { serverApi } from '../../contract/servers.ts';
import { bind, type Route } from '../../http/route.ts';
import type { ServerService } from './service.ts';

export function serverRoutes(servers: ServerService): Route[] {
  return [
    bind(serverApi.list, ({ query }) => servers.list(query)),
    bind(serverApi.add, ({ body, actor }) => ({ id: servers.add(actor, body) })),
    bind(serverApi.set, ({ body, actor }) => ({ revision: servers.set(actor, body) })),
    bind(serverApi.del, ({ body, actor }) => servers.del(actor, [body.id].flat())),
    bind(serverApi.addOutput, ({ body, actor }) => ({ id: servers.addOutput(actor, body) })),
  ];
}
