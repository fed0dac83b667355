import { afterAll, expect, test } from 'bun:test';
import { composedHub, quietMedia } from '../../tests/fixtures/composed-hub.ts';
import { groupTypes } from '../contract/permission.ts';
import { writeMediaMetrics } from '../features/channels/metrics.ts';
import { writeSystemMetrics } from '../features/system/metrics.ts';
import type { ChannelStatus } from '../media/protocol/reported.ts';
import { metricsRoute } from './metrics.ts';

const hub = await composedHub();
afterAll(hub.remove);

const connection = { conn: 10, state: 2, kbps: 6000, bytes: 1234, since: 1 };
const srt = { rttMs: 12.5, packets: 900, lost: 9, retransmitted: 8, dropped: 1, bufferMs: 120 };
const channel: ChannelStatus = {
  id: 100_001,
  input: {
    ...{ ...connection, protocol: 'srt', peer: '192.0.2.9', reconnects: 2, ccErrors: 4, srt },
    quality: { lossPercent: 1.5, lost: 0, rttMs: 12.5, bufferMs: 120 },
  },
  outputs: [{ ...connection, id: 11_001, reconnects: 0, skipped: 7 }],
  clients: [
    { ...connection, id: 1, protocol: 'srt', peer: '192.0.2.8', skipped: 0, queueMs: 0, quality: { rttMs: 4 } },
    { ...connection, id: 2, protocol: 'srt', peer: '192.0.2.7', skipped: 0, queueMs: 0, quality: { rttMs: 70 } },
  ],
};

test('metrics of the machine, the hub and each stream are in the Prometheus format', async () => {
  const media = quietMedia({ rings: { bytes: 5e8, limit: 3e9 }, channels: new Map([[channel.id, channel]]) });
  const route = metricsRoute([
    (writer) => writeSystemMetrics(hub.hub.system.status(), writer),
    (writer) => writeMediaMetrics(media.port.status(), writer),
    ({ gauge }) => gauge('signalbox_event_streams', 'Open event streams.', 3),
  ]);
  const text = await (await route.respond({ text: (body: string) => new Response(body) } as never)).text();
  for (const line of [
    'signalbox_event_streams 3',
    'signalbox_engine_up 1',
    'signalbox_engine_ring_bytes 500000000',
    'signalbox_engine_ring_limit_bytes 3000000000',
    'signalbox_channel_input_bits_per_second{channel="100001"} 6000000',
    'signalbox_channel_input_reconnects_total{channel="100001"} 2',
    'signalbox_channel_clients{channel="100001"} 2',
    'signalbox_output_bytes_total{channel="100001",output="11001"} 1234',
    'signalbox_output_skipped_total{channel="100001",output="11001"} 7',
    'signalbox_part_ok{part="engine"} 1',
    'signalbox_channel_input_loss_ratio{channel="100001"} 0.015',
    'signalbox_channel_input_rtt_seconds{channel="100001"} 0.0125',
    'signalbox_channel_input_packets_lost_total{channel="100001"} 9',
    'signalbox_channel_input_continuity_errors_total{channel="100001"} 4',
    'signalbox_channel_clients_rtt_seconds_max{channel="100001"} 0.07',
  ]) {
    expect(text.split('\n')).toContain(line);
  }
  // The loss of a push over RTMP is unknown.
  expect(text).not.toContain('signalbox_output_loss_ratio{');
  for (const line of text.trimEnd().split('\n')) {
    expect(line).toMatch(/^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{[a-z_]+="[^"]*"(,[a-z_]+="[^"]*")*\})? -?[\d.e+-]+)$/);
  }
});

test('metrics are for this machine and for users who may see the system', async () => {
  const status = async (as: string | undefined, ip: string) =>
    (await hub.call('/metrics', { ip, headers: { host: 'localhost' }, ...(as !== undefined && { as }) })).status;
  expect(await status(undefined, '127.0.0.1')).toBe(200);
  expect(await status(undefined, '192.0.2.1')).toBe(401);
  const viewer = await hub.addUser('viewer', groupTypes.viewer);
  expect(await status(viewer, '192.0.2.1')).toBe(200);
  const bearer = { authorization: `Bearer ${viewer}` };
  expect((await hub.call('/metrics', { headers: bearer })).status).toBe(200);
});
