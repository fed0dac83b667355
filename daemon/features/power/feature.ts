import { calls } from '../../contract/calls.ts';
import type { Feature } from '../../http/feature.ts';
import { lazyRoutes } from '../../http/route.ts';
import type { PowerService } from './service.ts';

export function powerFeature(power: PowerService): Feature {
  return { routes: [lazyRoutes(calls.power, async () => (await import('./routes.ts')).powerRoutes(power))] };
}
