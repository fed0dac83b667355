import { timeApi } from '../../contract/time.ts';
import { bind, type Route } from '../../http/route.ts';
import type { TimeService } from './service.ts';

export function timeRoutes(time: TimeService): Route[] {
  return [
    bind(timeApi.get, () => time.get()),
    bind(timeApi.set, async ({ actor, body }) => ({ revision: await time.set(actor, body) })),
    bind(timeApi.setHostName, ({ actor, body }) => time.setHostName(actor, body.name)),
  ];
}
