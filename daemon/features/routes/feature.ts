/** Assembles the routes of the appliance for the composition root. Their code is loaded with the first call. */
import { calls } from '../../contract/calls.ts';
import type { Feature } from '../../http/feature.ts';
import { lazyRoutes } from '../../http/route.ts';
import type { RouteDeps } from './service.ts';

export function createRouteFeature(deps: RouteDeps): Feature {
  return {
    routes: [
      lazyRoutes(calls.routes, async () => {
        const [{ createRouteService }, { routeRoutes }] = await Promise.all([
          import('./service.ts'),
          import('./routes.ts'),
        ]);
        return routeRoutes(createRouteService(deps));
      }),
    ],
  };
}
