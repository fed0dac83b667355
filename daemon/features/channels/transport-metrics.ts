/** Connection quality as metrics. */
import type { Labels, MetricType, MetricWriter, Sample } from '../../http/metrics.ts';
import type { ClientStatus, ConnectionStatus, InputStatus, OutputStatus } from '../../media/protocol/reported.ts';

type Metric = MetricWriter['metric'];

interface Figure<Connection> {
  readonly name: string;
  readonly type: MetricType;
  readonly help: string;
  /** Undefined if the protocol does not provide it. */
  readonly of: (connection: Connection) => number | undefined;
}

const seconds = (ms: number | undefined) => (ms === undefined ? undefined : ms / 1000);
const ratio = (percent: number | undefined) => (percent === undefined ? undefined : percent / 100);

const gauges: readonly Figure<ConnectionStatus>[] = [
  {
    ...{ name: 'loss_ratio', type: 'gauge' },
    help: 'Share of packets that were missing in the last 10 s, before SRT repaired what it could.',
    of: ({ quality }) => ratio(quality?.lossPercent),
  },
  {
    ...{ name: 'rtt_seconds', type: 'gauge' },
    help: 'Round trip of SRT.',
    of: ({ quality }) => seconds(quality?.rttMs),
  },
  {
    ...{ name: 'jitter_seconds', type: 'gauge' },
    help: 'How unevenly RTP or UDP comes in (RFC 3550).',
    of: ({ quality }) => seconds(quality?.jitterMs),
  },
  {
    ...{ name: 'buffer_seconds', type: 'gauge' },
    help: 'Media in the buffer of the protocol, or in the queue of a slow reader.',
    of: ({ quality }) => seconds(quality?.bufferMs),
  },
];
const counters: readonly Figure<ConnectionStatus>[] = [
  {
    ...{ name: 'packets_lost_total', type: 'counter' },
    help: 'Missing packets of SRT and RTP since it connected.',
    of: ({ srt, datagrams }) => srt?.lost ?? datagrams?.lost,
  },
  {
    ...{ name: 'packets_retransmitted_total', type: 'counter' },
    help: 'Packets that SRT sent again since it connected.',
    of: ({ srt }) => srt?.retransmitted,
  },
  {
    ...{ name: 'packets_dropped_total', type: 'counter' },
    help: 'Packets that SRT gave up because they were too late, and datagrams of UDP and RTP that were not read in time, since it connected.',
    of: ({ srt, datagrams }) => srt?.dropped ?? datagrams?.dropped,
  },
];

interface ReportedChannel {
  readonly id: number;
  readonly input: InputStatus;
  readonly outputs: readonly OutputStatus[];
  readonly clients: readonly ClientStatus[];
}

export function writeTransport(channels: readonly ReportedChannel[], metric: Metric): void {
  const inputs = channels.map(({ id, input }): [Labels, InputStatus] => [{ channel: id }, input]);
  const outputs = channels.flatMap(({ id, outputs: connections }) =>
    connections.map((connection): [Labels, OutputStatus] => [{ channel: id, output: connection.id }, connection]),
  );
  for (const { name, type, help, of } of [...gauges, ...counters]) {
    metric(`signalbox_channel_input_${name}`, type, `Input: ${help}`, samplesOf(inputs, of));
    metric(`signalbox_output_${name}`, type, `Output: ${help}`, samplesOf(outputs, of));
  }
  metric(
    'signalbox_channel_input_continuity_errors_total',
    'counter',
    'Continuity errors of a transport stream since it connected.',
    samplesOf(inputs, ({ ccErrors }) => ccErrors),
  );
  metric(
    'signalbox_channel_input_packets_refused_total',
    'counter',
    'Datagrams of UDP and RTP from others than the sender that is heard, since the port was opened.',
    samplesOf(inputs, ({ datagrams }) => datagrams?.refused),
  );
  writeWorstClients(channels, metric);
}

/** Clients come and go; one series per client would grow without limit. */
function writeWorstClients(channels: readonly ReportedChannel[], metric: Metric): void {
  for (const { name, help, of } of gauges) {
    const samples = channels.flatMap(({ id, clients }): Sample[] => {
      const values = clients.map(of).filter((value) => value !== undefined);
      return values.length === 0 ? [] : [[{ channel: id }, Math.max(...values)]];
    });
    metric(`signalbox_channel_clients_${name}_max`, 'gauge', `Of the player that is worst off: ${help}`, samples);
  }
}

function samplesOf<Connection>(
  connections: readonly (readonly [Labels, Connection])[],
  of: Figure<Connection>['of'],
): Sample[] {
  return connections.flatMap(([labels, connection]): Sample[] => {
    const value = of(connection);
    return value === undefined ? [] : [[labels, value]];
  });
}
