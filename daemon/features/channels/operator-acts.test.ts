import { beforeEach, expect, test } from 'bun:test';
import { createStreamingFeatures, type StreamingFeatures } from '../../../tests/sim/streaming-features.ts';
import { readTopic } from '../../../tests/support/topic-reader.ts';
import type { Channel } from '../../contract/channels.ts';
import type { ObjectsEvent } from '../../contract/events.ts';
import type { ChannelStatus, ClientStatus } from '../../media/protocol/reported.ts';

let hub: StreamingFeatures;
let id: number;
beforeEach(async () => {
  hub = createStreamingFeatures();
  id = (await hub.post('channel/add', { name: 'One' })).id;
});

const connection = { conn: 10, state: 2, kbps: 100, bytes: 5, since: 0 };
const client = (clientId: number, outputId?: number): ClientStatus => ({
  ...{ ...connection, id: clientId, protocol: 'srt', peer: `192.0.2.${clientId}:5000`, skipped: 0, queueMs: 0 },
  ...(outputId !== undefined && { outputId }),
});
function report(clients: ClientStatus[], outputs: ChannelStatus['outputs'] = []): void {
  const input = { ...connection, protocol: 'srt', peer: '', reconnects: 0 };
  hub.media.report({ channels: [{ id, input, outputs, clients }] });
}

test('a client names the output that it is connected to, and the output counts its clients', async () => {
  const listener = { srt: { mode: 'listener', host: '0.0.0.0', port: 9000, latency: 120 } };
  const { id: output } = await hub.post('output/add', { name: 'Listener', config: listener, channel: id });
  report([client(1), client(2, output)], [{ ...connection, id: output, reconnects: 0, skipped: 0, clients: 1 }]);
  const { clients, outputs } = await hub.get(`channel/query?id=${id}`);
  expect(clients.list.map((one: Record<string, number>) => one['output-id'])).toEqual([undefined, output]);
  expect(outputs.list[0]).toMatchObject({ id: output, clients: 1 });
});

test('the engine disconnects a client, and the log says which', async () => {
  report([client(1)]);
  hub.media.reply = { what: 'done' };
  expect(await hub.post('channel/client/disconnect', { id, client: 1 })).toEqual({ result: 0 });
  expect(hub.operations().at(-1)).toBe('channel.disconnectClient: One: 192.0.2.1:5000');
});

test('a missing client, one that left meanwhile, and an engine that does not answer are reported', async () => {
  report([client(1)]);
  const log = hub.operations().length;
  expect(await hub.post('channel/client/disconnect', { id: 1, client: 1 })).toMatchObject({ result: 16 });
  expect(await hub.post('channel/client/disconnect', { id, client: 2 })).toMatchObject({ result: 16 });
  expect(await hub.post('channel/client/disconnect', { id, client: 1 })).toMatchObject({ result: 47 });
  hub.media.reply = { what: 'error', text: 'no such client' };
  expect(await hub.post('channel/client/disconnect', { id, client: 1 })).toMatchObject({ result: 16 });
  expect(hub.operations()).toHaveLength(log);
});

test('the event stream shows every output, and 64 of all clients', async () => {
  for (let at = 0; at < 12; at++) {
    const config = { udp: { host: '192.0.2.1', port: 5000 + at } };
    await hub.post('output/add', { name: `O ${at}`, config, channel: id });
  }
  report(Array.from({ length: 70 }, (_, at) => client(at)));
  const read = readTopic<ObjectsEvent<Channel>>(hub.channels.topics[0]!);
  const [channel] = read.messages[0]?.data.changed ?? [];
  read.close();
  expect(channel?.outputs.list).toHaveLength(12);
  expect(channel?.clients).toMatchObject({ total: 70 });
  expect(channel?.clients.list).toHaveLength(64);
});
