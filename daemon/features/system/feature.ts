/** Assembles the system feature for the composition root. */
import { systemApi } from '../../contract/system.ts';
import type { MetricWriter } from '../../http/metrics.ts';
import { bind } from '../../http/route.ts';
import { writeSystemMetrics } from './metrics.ts';
import { type RestartDeps, restartPart } from './restart.ts';
import { createSystemService, type SystemOptions } from './service.ts';

export function createSystemFeature(options: SystemOptions, restarting: RestartDeps) {
  const system = createSystemService(options);
  return {
    ...system,
    routes: [
      bind(systemApi.status, () => ({ status: system.status() })),
      bind(systemApi.history, () => system.history()),
      bind(systemApi.restartPart, ({ actor, body }) => restartPart(restarting, actor, body)),
    ],
    topics: [system.topic],
    metrics: (writer: MetricWriter) => writeSystemMetrics(system.status(), writer),
  };
}
