import { calls } from '../../contract/calls.ts';
import type { Feature } from '../../http/feature.ts';
import { lazyRoutes } from '../../http/route.ts';
import { createPresetService, type PresetDeps } from './service.ts';

export function createPresetFeature(deps: PresetDeps) {
  const service = createPresetService(deps);
  return {
    routes: [lazyRoutes(calls.presets, async () => (await import('./routes.ts')).presetRoutes(service))],
  } satisfies Feature;
}
