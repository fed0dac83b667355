/** Metrics of the engine, the channels and their connections. */
import type { MetricType, MetricWriter, Sample } from '../../http/metrics.ts';
import type { MediaStatus } from '../../media/port.ts';
import type { InputStatus, OutputStatus } from '../../media/protocol/reported.ts';
import { writeTransport } from './transport-metrics.ts';

export function writeMediaMetrics(
  { engine, memoryBytes, rings, channels }: MediaStatus,
  { gauge, metric }: MetricWriter,
): void {
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
