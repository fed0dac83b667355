/** Metrics in the text format of Prometheus: those of the process, and what the features add. */
import { version } from '../version.ts';
import type { PlainRoute } from './plain-route.ts';

export type Labels = Readonly<Record<string, string | number>>;
export type Sample = readonly [labels: Labels, value: number];
export type MetricType = 'gauge' | 'counter';

export interface MetricWriter {
  metric(name: string, type: MetricType, help: string, samples: readonly Sample[]): void;
  /** A gauge without labels. */
  gauge(name: string, help: string, value: number): void;
}
/** Adds the metrics of a feature; names begin with `signalbox_`. */
export type WriteMetrics = (writer: MetricWriter) => void;

export function metricsRoute(features: readonly WriteMetrics[]): PlainRoute {
  return {
    path: '/metrics',
    scope: 'systemView',
    isOpenToLocalhost: true,
    isOpenBeforeSetup: true,
    summary: 'Figures for Prometheus; from this machine without a session.',
    contentType: 'text/plain',
    respond: (c) => c.text(metricsText(features), 200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }),
  };
}

function metricsText(features: readonly WriteMetrics[]): string {
  const lines: string[] = [];
  const writer: MetricWriter = {
    metric(name, type, help, samples) {
      lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
      for (const [labels, value] of samples) lines.push(`${name}${labelText(labels)} ${value}`);
    },
    gauge: (name, help, value) => writer.metric(name, 'gauge', help, [[{}, value]]),
  };
  for (const write of [writeProcess, ...features]) write(writer);
  return `${lines.join('\n')}\n`;
}

function writeProcess({ gauge, metric }: MetricWriter): void {
  const { user, system: kernel } = process.cpuUsage();
  metric('process_cpu_seconds_total', 'counter', 'CPU time of the hub process.', [[{}, (user + kernel) / 1e6]]);
  gauge('process_resident_memory_bytes', 'Resident memory of the hub process.', process.memoryUsage.rss());
  gauge('process_start_time_seconds', 'Start of the hub process.', Math.round(performance.timeOrigin / 1000));
  metric('signalbox_info', 'gauge', 'Version of the hub.', [[{ version }, 1]]);
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${JSON.stringify(String(value))}`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}
