import { afterEach, beforeEach, expect, jest, test } from 'bun:test';
import { createStreamingFeatures, type StreamingFeatures } from '../../../tests/sim/streaming-features.ts';
import type { ChannelsEvent } from '../../contract/events.ts';
import type { ChannelStatus } from '../../media/protocol/reported.ts';

let hub: StreamingFeatures;
let id: number;
let events: ChannelsEvent[];
const leaves: (() => void)[] = [];

beforeEach(async () => {
  hub = createStreamingFeatures();
  id = (await hub.post('channel/add', { name: 'Studio' })).id;
  events = [];
  jest.useFakeTimers();
});
afterEach(() => {
  for (const leave of leaves.splice(0)) leave();
  jest.useRealTimers();
});

const listen = () => {
  const leave = hub.channels.topic.subscribe((event) => events.push(event));
  leaves.push(leave);
  return leave;
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
const kbps = () => events.map(({ changed }) => changed.map((channel) => channel.kbps));

test('the first message contains every channel', () => {
  expect(hub.channels.topic.init()).toMatchObject({ changed: [{ id, name: 'Studio' }], removed: [] });
});

test('a state change is sent after a tenth of a second, several of them in one message', () => {
  listen();
  report(0, 2);
  jest.advanceTimersByTime(50);
  report(1000);
  expect(events).toEqual([]);
  jest.advanceTimersByTime(50);
  expect(kbps()).toEqual([[1000]]);
  expect(events[0]?.changed[0]?.state).toBe('live');
});

test('counters alone are sent once per second', () => {
  report(1);
  listen();
  for (let at = 2; at <= 30; at++) {
    jest.advanceTimersByTime(100);
    report(at);
  }
  expect(kbps()).toEqual([[10], [20]]);
});

test('unchanged channels are not sent', () => {
  report(1);
  listen();
  for (let at = 0; at < 5; at++) {
    report(1);
    jest.advanceTimersByTime(1000);
  }
  expect(events).toEqual([]);
});

test('only the changed channel is sent, a deleted one by its id', async () => {
  jest.useRealTimers();
  const other = (await hub.post('channel/add', { name: 'Arena' })).id;
  const heard = Promise.withResolvers<ChannelsEvent>();
  leaves.push(hub.channels.topic.subscribe(heard.resolve));
  await hub.post('channel/del', { id: other });
  await hub.post('channel/set', { id, name: 'Hall' });
  const { changed, removed } = await heard.promise;
  expect(changed.map(({ name }) => name)).toEqual(['Hall']);
  expect(removed).toEqual([other]);
});

test('the loss of the engine is sent', () => {
  listen();
  hub.media.report({ engine: 'down', channels: [] });
  jest.advanceTimersByTime(100);
  expect(events[0]?.changed[0]).toMatchObject({ state: 'engineDown', applied: false });
});

test('a subscriber that left gets no events, and the others still do', () => {
  const heard: ChannelsEvent[] = [];
  leaves.push(hub.channels.topic.subscribe((event) => heard.push(event)));
  const leave = listen();
  leave();
  leave();
  report(1000);
  jest.advanceTimersByTime(100);
  expect(events).toEqual([]);
  expect(heard).toHaveLength(1);
});

test('when all subscribers have left, no timer remains', () => {
  const leave = listen();
  report(1000);
  leave();
  expect(jest.getTimerCount()).toBe(0);
});
