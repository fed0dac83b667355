import { calls } from '../../contract/calls.ts';
import type { Feature } from '../../http/feature.ts';
import { lazyRoutes } from '../../http/route.ts';
import { createServerService, type ServerDeps } from './service.ts';

export function createServerFeature(deps: ServerDeps) {
  const service = createServerService(deps);
  return {
    routes: [lazyRoutes(calls.servers, async () => (await import('./routes.ts')).serverRoutes(service))],
  } satisfies Feature;
}
