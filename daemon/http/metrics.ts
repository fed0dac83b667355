/** Metrics in the text format of Prometheus. */
import type { SystemStatus } from '../contract/system.ts';
import type { MediaStatus } from '../media/port.ts';
import type { InputStatus, OutputStatus } from '../media/protocol/reported.ts';
import { version } from '../version.ts';
import type { PlainRoute } from './plain-route.ts';
import { type Labels, type Metric, type MetricType, type Sample, writeTransport } from './transport-metrics.ts';

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
  const ofInputs = (name: string, type: MetricType, help: string, value: (input: InputStatus) => number) =>
    metric(
      `signalbox_channel_input_${name}`,
      type,
      help,
      list.map(({ id, input }): Sample => [{ channel: id }, value(input)]),
    );
  const ofOutputs = (name: string, type: MetricType, help: string, value: (output: OutputStatus) => number) =>
    metric(
      `signalbox_output_${name}`,
      type,
      help,
      list.flatMap(({ id, outputs }) => outputs.map((one): Sample => [{ channel: id, output: one.id }, value(one)])),
    );
  const players = list.map(({ id, clients }): Sample => [{ channel: id }, clients.length]);
  ofInputs('bits_per_second', 'gauge', 'Rate into a channel.', ({ kbps }) => kbps * 1000);
  ofInputs('bytes_total', 'counter', 'Bytes into a channel since it connected.', ({ bytes }) => bytes);
  ofInputs('reconnects_total', 'counter', 'How often the input came back.', ({ reconnects }) => reconnects);
  metric('signalbox_channel_clients', 'gauge', 'Connected players of a channel.', players);
  ofOutputs('bits_per_second', 'gauge', 'Rate of an output.', ({ kbps }) => kbps * 1000);
  ofOutputs('bytes_total', 'counter', 'Bytes of an output since it connected.', ({ bytes }) => bytes);
  ofOutputs('skipped_total', 'counter', 'Packets left out of a slow output.', ({ skipped }) => skipped);
  writeTransport(list, metric);
}

function writeLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${JSON.stringify(String(value))}`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}
