import { calls } from '../../contract/calls.ts';
import type { Feature } from '../../http/feature.ts';
import { lazyRoutes } from '../../http/route.ts';
import { createInputService, type InputDeps } from './service.ts';

export function createInputFeature(deps: InputDeps) {
  const service = createInputService(deps);
  return {
    routes: [lazyRoutes(calls.inputs, async () => (await import('./routes.ts')).inputRoutes(service))],
    addAddress: service.addAddress,
  } satisfies Feature & { addAddress: unknown };
}
