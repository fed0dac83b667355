/** Metrics in the text format of Prometheus. */
import type { SystemStatus } from '../contract/system.ts';
import type { MediaStatus } from '../media/port.ts';
import { version } from '../version.ts';
import type { PlainRoute } from './plain-route.ts';
import { type Labels, type Metric, type Sample, writeTransport } from './transport-metrics.ts';

interface MetricSources {
  readonly system: () => SystemStatus;
  readonly media: () => MediaStatus;
  readonly eventStreams: () => number;
}

export function metricsRoute(sources: MetricSources): PlainRoute {
  return {
    path: '/metrics',
    scope: 'systemView',
    isOpenToLocalhost: true,
    isOpenBeforeSetup: true,
    summary: 'Figures for Prometheus; from this machine without a session.',
    contentType: 'text/plain',
    respond: (c) => c.text(writeMetrics(sources), 200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }),
  };
}

function writeMetrics({ system, media, eventStreams }: MetricSources): string {
  const lines: string[] = [];
  const metric: Metric = (name, type, help, samples) => {
    lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
    for (const [labels, value] of samples) lines.push(`${name}${writeLabels(labels)} ${value}`);
  };
  const gauge = (name: string, help: string, value: number) => metric(name, 'gauge', help, [[{}, value]]);

  const { user, system: kernel } = process.cpuUsage();
  metric('process_cpu_seconds_total', 'counter', 'CPU time of the hub process.', [[{}, (user + kernel) / 1e6]]);
  gauge('process_resident_memory_bytes', 'Resident memory of the hub process.', process.memoryUsage.rss());
  gauge('process_start_time_seconds', 'Start of the hub process.', Math.round(performance.timeOrigin / 1000));
  metric('signalbox_info', 'gauge', 'Version of the hub.', [[{ version }, 1]]);
  gauge('signalbox_event_streams', 'Open event streams.', eventStreams());
  writeSystem(system(), gauge, metric);
  writeMedia(media(), gauge, metric);
  return `${lines.join('\n')}\n`;
}

type Gauge = (name: string, help: string, value: number) => void;

function writeSystem({ system }: SystemStatus, gauge: Gauge, metric: Metric): void {
  const { status, channel, output, client, parts } = system;
  gauge('signalbox_cpu_percent', 'Load of all cores.', status.cpu);
  gauge('signalbox_memory_percent', 'Memory in use.', status.mem);
  gauge('signalbox_disk_free_bytes', 'Free space of the data folder.', status['disk-info'].free * 1024 * 1024);
  metric('signalbox_network_megabits_per_second', 'gauge', 'Traffic of all interfaces but loopback.', [
    [{ direction: 'sent' }, status['net-tx']],
    [{ direction: 'received' }, status['net-rx']],
  ]);
  metric(
    'signalbox_part_ok',
    'gauge',
    'Whether a part of the hub works.',
    parts.map((part): Sample => [{ part: part.name }, part.ok ? 1 : 0]),
  );
  gauge('signalbox_channels', 'Channels that exist.', channel['used-num']);
  gauge('signalbox_channels_enabled', 'Channels that are switched on.', channel['enable-num']);
  gauge('signalbox_channels_live', 'Channels that get packets.', channel['live-num']);
  gauge('signalbox_outputs', 'Outputs that exist.', output['used-num']);
  gauge('signalbox_outputs_live', 'Outputs that send.', output['live-num']);
  gauge('signalbox_clients', 'Connected players.', client['live-num']);
}

function writeMedia({ engine, memoryBytes, rings, channels }: MediaStatus, gauge: Gauge, metric: Metric): void {
  gauge('signalbox_engine_up', 'Whether the media engine answers.', engine === 'running' ? 1 : 0);
  gauge('signalbox_engine_resident_memory_bytes', 'Resident memory of the media engine.', memoryBytes);
  gauge('signalbox_engine_ring_bytes', 'Memory of engine and SRT endpoint that holds streams.', rings.bytes);
  gauge('signalbox_engine_ring_limit_bytes', 'Most that it holds before long groups are let go.', rings.limit);
  const list = [...channels.values()];
  const inputs = (value: (input: (typeof list)[number]['input']) => number) =>
    list.map(({ id, input }): Sample => [{ channel: id }, value(input)]);
  const outputs = (value: (output: (typeof list)[number]['outputs'][number]) => number) =>
    list.flatMap(({ id, outputs: connections }) =>
      connections.map((connection): Sample => [{ channel: id, output: connection.id }, value(connection)]),
    );
  const kilobits = (kbps: number) => kbps * 1000;
  const name = 'signalbox_channel';
  metric(
    `${name}_input_bits_per_second`,
    'gauge',
    'Rate into a channel.',
    inputs((connection) => kilobits(connection.kbps)),
  );
  metric(
    `${name}_input_bytes_total`,
    'counter',
    'Bytes into a channel since it connected.',
    inputs((connection) => connection.bytes),
  );
  metric(
    `${name}_input_reconnects_total`,
    'counter',
    'How often the input came back.',
    inputs((connection) => connection.reconnects),
  );
  metric(
    `${name}_clients`,
    'gauge',
    'Connected players of a channel.',
    list.map(({ id, clients }): Sample => [{ channel: id }, clients.length]),
  );
  metric(
    'signalbox_output_bits_per_second',
    'gauge',
    'Rate of an output.',
    outputs((connection) => kilobits(connection.kbps)),
  );
  metric(
    'signalbox_output_bytes_total',
    'counter',
    'Bytes of an output since it connected.',
    outputs((connection) => connection.bytes),
  );
  metric(
    'signalbox_output_skipped_total',
    'counter',
    'Packets left out of a slow output.',
    outputs((connection) => connection.skipped),
  );
  writeTransport(list, metric);
}

function writeLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${JSON.stringify(String(value))}`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}
