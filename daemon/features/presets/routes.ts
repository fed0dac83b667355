import { presetApi } from '../../contract/presets.ts';
import { isGranted } from '../../http/access.ts';
import { bind, type Route } from '../../http/route.ts';
import type { PresetService } from './service.ts';

export function presetRoutes(presets: PresetService): Route[] {
  return [
    bind(presetApi.list, ({ query, session }) => presets.list(query, { mayEdit: isGranted(session, 'ioEdit') })),
    bind(presetApi.save, ({ body, actor }) => ({ id: presets.save(actor, body) })),
    bind(presetApi.del, ({ body, actor }) => presets.del(actor, [body.id].flat())),
    bind(presetApi.use, ({ body, actor }) => ({ id: presets.use(actor, body) })),
  ];
}
