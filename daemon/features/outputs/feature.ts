import { calls } from '../../contract/calls.ts';
import type { Feature } from '../../http/feature.ts';
import { lazyRoutes } from '../../http/route.ts';
import type { SourceDeps } from '../named-objects.ts';
import { createOutputService } from './service.ts';

export function createOutputFeature(deps: SourceDeps) {
  const service = createOutputService(deps);
  return {
    routes: [lazyRoutes(calls.outputs, async () => (await import('./routes.ts')).outputRoutes(service))],
    addAddress: service.addAddress,
  } satisfies Feature & { addAddress: unknown };
}
