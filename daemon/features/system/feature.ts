/** Assembles the system feature for the composition root. */
import { calls } from '../../contract/calls.ts';
import type { DeviceConnection } from '../../contract/device-fields.ts';
import type { DeviceCounts } from '../../contract/system.ts';
import type { MetricWriter } from '../../http/metrics.ts';
import { lazyRoutes, type Session } from '../../http/route.ts';
import { writeSystemMetrics } from './metrics.ts';
import type { RestartDeps } from './restart.ts';
import { createSystemService, type SystemOptions } from './service.ts';

/** What the status tells of devices, which depends on the caller. */
export interface DeviceStatus {
  readonly counts: (session: Session | null) => DeviceCounts;
  readonly globalConnection: () => DeviceConnection;
}

export function createSystemFeature(options: SystemOptions, restarting: RestartDeps, devices: DeviceStatus) {
  const system = createSystemService(options);
  return {
    ...system,
    routes: [
      lazyRoutes(calls.system, async () => (await import('./routes.ts')).systemRoutes(system, restarting, devices)),
    ],
    topics: [system.topic],
    metrics: (writer: MetricWriter) => writeSystemMetrics(system.status(), writer),
  };
}
