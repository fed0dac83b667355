/** Assembles the system feature for the composition root. */
import type { DeviceConnection } from '../../contract/device-fields.ts';
import { type DeviceCounts, systemApi } from '../../contract/system.ts';
import type { MetricWriter } from '../../http/metrics.ts';
import { bind, type Session } from '../../http/route.ts';
import { writeSystemMetrics } from './metrics.ts';
import { type RestartDeps, restartPart } from './restart.ts';
import { createSystemService, type SystemOptions } from './service.ts';

/** What the status tells of devices, which depends on the caller. */
interface DeviceStatus {
  readonly counts: (session: Session | null) => DeviceCounts;
  readonly globalConnection: () => DeviceConnection;
}

export function createSystemFeature(options: SystemOptions, restarting: RestartDeps, devices: DeviceStatus) {
  const system = createSystemService(options);
  return {
    ...system,
    routes: [
      bind(systemApi.status, ({ query, session }) => {
        const { system: all, ...status } = system.status();
        const isAsked = (query['global-config'] ?? 0) !== 0;
        return {
          status: {
            system: { ...all, device: devices.counts(session) },
            ...status,
            ...(isAsked && { 'global-config': { device: devices.globalConnection() } }),
          },
        };
      }),
      bind(systemApi.history, () => system.history()),
      bind(systemApi.restartPart, ({ actor, body }) => restartPart(restarting, actor, body)),
    ],
    topics: [system.topic],
    metrics: (writer: MetricWriter) => writeSystemMetrics(system.status(), writer),
  };
}
