import { afterEach, beforeEach, expect, jest, test } from 'bun:test';
import { createStreamingFeatures, type StreamingFeatures } from '../../../tests/sim/streaming-features.ts';
import { readTopic } from '../../../tests/support/topic-reader.ts';
import { until } from '../../../tests/support/until.ts';
import type { Channel } from '../../contract/channels.ts';
import type { ObjectsEvent } from '../../contract/events.ts';
import type { ChannelStatus } from '../../media/protocol/reported.ts';

let hub: StreamingFeatures;
let id: number;
const leaves: (() => void)[] = [];

beforeEach(async () => {
  hub = createStreamingFeatures();
  id = (await hub.post('channel/add', { name: 'Studio' })).id;
  jest.useFakeTimers();
});
afterEach(() => {
  for (const leave of leaves.splice(0)) leave();
  jest.useRealTimers();
});

const listen = () => {
  const read = readTopic<ObjectsEvent<Channel>>(hub.channels.topics[0]!);
  leaves.push(read.close);
  return read;
};
const report = (kbps: number, conn = 10): void => {
  const connection = { conn, state: 2, kbps, bytes: 0, since: 0 };
  const status: ChannelStatus = {
    id,
    input: { ...connection, protocol: 'rtmp', peer: '192.0.2.5:1', reconnects: 0 },
    outputs: [],
    clients: [],
  };
  hub.media.report({ channels: [status] });
};
const kbps = (read: ReturnType<typeof listen>) =>
  read.changes().map(({ changed }) => changed.map((channel) => channel.kbps));

test('the first message contains every channel', () => {
  expect(listen().messages).toMatchObject([{ kind: 'init', data: { changed: [{ id, name: 'Studio' }] } }]);
});

test('a state change is sent after a tenth of a second, several of them in one message', () => {
  const read = listen();
  report(0, 2);
  jest.advanceTimersByTime(50);
  report(1000);
  expect(read.changes()).toEqual([]);
  jest.advanceTimersByTime(60);
  expect(kbps(read)).toEqual([[1000]]);
  expect(read.changes()[0]?.changed[0]?.state).toBe('live');
});

test('counters alone are sent once per second', () => {
  report(1);
  const read = listen();
  for (let at = 2; at <= 30; at++) {
    jest.advanceTimersByTime(100);
    report(at);
  }
  expect(kbps(read)).toHaveLength(2);
});

test('unchanged channels are not sent', () => {
  report(1);
  const read = listen();
  for (let at = 0; at < 5; at++) {
    report(1);
    jest.advanceTimersByTime(1000);
  }
  expect(read.changes()).toEqual([]);
});

test('only the changed channel is sent, a deleted one by its id', async () => {
  jest.useRealTimers();
  const other = (await hub.post('channel/add', { name: 'Arena' })).id;
  const read = listen();
  await hub.post('channel/del', { id: other });
  await hub.post('channel/set', { id, name: 'Hall' });
  await until(() => read.changes().length > 0);
  const [{ changed, removed }] = read.changes() as [ObjectsEvent<Channel>];
  expect(changed.map(({ name }) => name)).toEqual(['Hall']);
  expect(removed).toEqual([other]);
});

test('the loss of the engine is sent', () => {
  const read = listen();
  hub.media.report({ engine: 'down', channels: [] });
  jest.advanceTimersByTime(110);
  expect(read.changes()[0]?.changed[0]).toMatchObject({ state: 'engineDown', applied: false });
});

test('when all subscribers have left, no timer remains', () => {
  const read = listen();
  report(1000);
  read.close();
  expect(jest.getTimerCount()).toBe(0);
});
