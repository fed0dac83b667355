import { outputApi } from '../../contract/outputs.ts';
import { isGranted } from '../../http/access.ts';
import { bind, type Route } from '../../http/route.ts';
import type { OutputService } from './service.ts';

export function outputRoutes(outputs: OutputService): Route[] {
  return [
    bind(outputApi.list, ({ query, session }) => outputs.list(query, { mayEdit: isGranted(session, 'ioEdit') })),
    bind(outputApi.add, ({ body, actor }) => ({ id: outputs.add(actor, body) })),
    bind(outputApi.set, ({ body, actor }) => ({ revision: outputs.set(actor, body) })),
    bind(outputApi.reveal, ({ body, actor }) => ({ config: outputs.reveal(actor, body.id) })),
    bind(outputApi.del, ({ body, actor }) => outputs.del(actor, body)),
  ];
}
