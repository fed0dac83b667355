/** Metrics of the machine and the parts of the hub. */
import type { SystemStatus } from '../../contract/system.ts';
import type { MetricWriter, Sample } from '../../http/metrics.ts';

export function writeSystemMetrics({ system }: SystemStatus, { gauge, metric }: MetricWriter): void {
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
