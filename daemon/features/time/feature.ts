/** Assembles the clock of the appliance. Its code is loaded with the first call. */
import type { TimePort } from '../../appliance/time/port.ts';
import { calls } from '../../contract/calls.ts';
import type { Feature } from '../../http/feature.ts';
import { lazyRoutes } from '../../http/route.ts';
import type { Database } from '../../store/database.ts';
import type { Audit } from '../logs/audit.ts';

interface FeatureDeps {
  readonly db: Database;
  readonly audit: Audit;
  readonly time: TimePort;
  readonly now: () => number;
}

export function createTimeFeature(deps: FeatureDeps): Feature {
  return {
    routes: [
      lazyRoutes(calls.time, async () => {
        const [{ timeRoutes }, { createTimeService }] = await Promise.all([
          import('./routes.ts'),
          import('./service.ts'),
        ]);
        return timeRoutes(createTimeService({ ...deps, onZone }));
      }),
    ],
  };
}

/** The process has read the zone of the system when it started. */
export function onZone(zone: string): void {
  process.env.TZ = zone;
}
