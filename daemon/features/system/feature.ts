/** Assembles the system feature for the composition root. */
import { systemApi } from '../../contract/system.ts';
import type { MetricWriter } from '../../http/metrics.ts';
import { bind } from '../../http/route.ts';
import { writeSystemMetrics } from './metrics.ts';
import { createSystemService, type SystemOptions } from './service.ts';

export function createSystemFeature(options: SystemOptions) {
  const system = createSystemService(options);
  return {
    ...system,
    routes: [
      bind(systemApi.status, () => ({ status: system.status() })),
      bind(systemApi.history, () => system.history()),
    ],
    topics: [system.topic],
    metrics: (writer: MetricWriter) => writeSystemMetrics(system.status(), writer),
  };
}
