import { systemApi } from '../../contract/system.ts';
import { bind, type Route } from '../../http/route.ts';
import type { DeviceStatus } from './feature.ts';
import { type RestartDeps, restartPart } from './restart.ts';
import type { createSystemService } from './service.ts';

export function systemRoutes(
  system: ReturnType<typeof createSystemService>,
  restarting: RestartDeps,
  devices: DeviceStatus,
): Route[] {
  return [
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
  ];
}
