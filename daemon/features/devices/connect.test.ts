/** What devices are told to send and to play: whenever it changes, and whether they are online then. */
import { describe, expect, test } from 'bun:test';
import { until } from '../../../tests/support/until.ts';
import type { DeviceSession, StreamSource, StreamTarget } from '../../devices/driver.ts';
import { identityOf } from '../../devices/fleet-double-for-test.ts';
import { DeviceProblem } from '../../devices/problem.ts';
import { decoder, deviceHub, encoder, ofDecoder } from './device-hub-for-test.ts';

type Setup = Awaited<ReturnType<typeof deviceHub>>;

/** Devices that note what they are told, in words. */
function telling() {
  const told: string[] = [];
  const note = (text: string) => Promise.resolve(void told.push(text));
  const session: Partial<DeviceSession> = {
    sendTo: ({ protocol, key, port }: StreamTarget) => note(`send ${protocol} ${port} ${key.slice(-4)}`),
    stopSendingTo: (name) => note(`end sending to ${name}`),
    play: ({ url }: StreamSource) => note(`play ${url}`),
    stopPlaying: (name) => note(`end playing ${name}`),
  };
  return { told, session };
}

async function setup() {
  const hub = await deviceHub({ SIGNALBOX_HOSTS: 'hub.example' });
  const { add, post, fleet } = hub;
  const one = telling();
  await add(encoder);
  await add(decoder, {}, ofDecoder);
  await until(() => fleet.asked.length === 2);
  const online = (sn: string) => fleet.online(sn, { identity: identityOf(sn, sn === decoder ? ofDecoder : {}) });
  for (const sn of [encoder, decoder]) {
    fleet.sessions.set(sn, one.session);
    online(sn);
  }
  const keys = { 'play-key': 'to-watch' };
  const { id: channel } = await post('channel/add', { name: 'Studio', config: keys });
  return { ...hub, ...one, online, channel };
}

const connect = async ({ post }: Pick<Setup, 'post'>, sn: string, channel: number) =>
  expect(await post('device/connect', { sn, channel })).toEqual({ result: 0 });
const end = async ({ query }: Pick<Setup, 'query'>, sn: string) => (await query(sn))['push-key'].slice(-4);

describe('a decoder', () => {
  test('is told to end when it shall no longer play, or its channel is deleted', async () => {
    const hub = await setup();
    const { post, told, channel } = hub;
    await connect(hub, decoder, channel);
    await connect(hub, decoder, 0);
    expect(told).toEqual(['play rtmp://hub.example:1935/live/to-watch', 'end playing Signalbox']);
    await connect(hub, decoder, channel);
    await post('channel/del', { id: channel });
    await until(() => told.length === 4);
    expect(told[3]).toBe('end playing Signalbox');
  });

  test('that is offline meanwhile is told when it is back, once', async () => {
    const hub = await setup();
    const { told, channel, fleet, online, query } = hub;
    await connect(hub, decoder, channel);
    fleet.offline(decoder);
    await connect(hub, decoder, 0);
    expect(await query(decoder)).not.toHaveProperty('owner-o');
    expect(told).toHaveLength(1);
    online(decoder);
    await until(() => told.length === 2);
    for (let poll = 0; poll < 5; poll++) online(decoder);
    await query(decoder);
    expect(told.slice(1)).toEqual(['end playing Signalbox']);
  });

  test('plays on when the play key of the channel changes', async () => {
    const hub = await setup();
    const { post, told, channel } = hub;
    await connect(hub, decoder, channel);
    await post('channel/set', { id: channel, config: { 'play-key': 'another-one' } });
    await until(() => told.length === 2);
    expect(told[1]).toBe('play rtmp://hub.example:1935/live/another-one');
  });

  test('changes from one channel to another', async () => {
    const hub = await setup();
    const { post, told, channel, query } = hub;
    const { id: other } = await post('channel/add', { name: 'Other', config: { 'play-key': 'other-key' } });
    await connect(hub, decoder, channel);
    await connect(hub, decoder, other);
    expect(told).toEqual(['play rtmp://hub.example:1935/live/to-watch', 'play rtmp://hub.example:1935/live/other-key']);
    expect((await query(decoder))['owner-o']).toEqual(['Other']);
  });
});

describe('an encoder', () => {
  test('is told to end when its channel is deleted, or gets another input', async () => {
    const hub = await setup();
    const { post, told, channel } = hub;
    await connect(hub, encoder, channel);
    const config = { url: 'srt://192.0.2.1:9000' };
    const { id: input } = await post('input/source/add', { name: 'Uplink', config });
    await post('channel/input/set', { id: channel, input });
    await until(() => told.length === 2);
    await post('channel/input/set', { id: channel, input: 0 });
    await connect(hub, encoder, channel);
    await post('channel/del', { id: channel });
    await until(() => told.length === 4);
    expect(told.filter((text) => text.startsWith('end'))).toEqual(Array(2).fill('end sending to Signalbox'));
  });

  test('is told its new push key, and what has changed for all devices', async () => {
    const hub = await setup();
    const { post, told, channel, log } = hub;
    await connect(hub, encoder, channel);
    const before = await end(hub, encoder);
    const { 'push-key': key } = await post('device/renew-key', { sn: encoder });
    expect(key.slice(-4)).toBe(await end(hub, encoder));
    await until(() => told.length === 2);
    await post('device/global/set', { config: { input: { protocol: 2 } } });
    await until(() => told.length === 3);
    expect(told).toEqual([
      `send rtmp 1935 ${before}`,
      `send rtmp 1935 ${key.slice(-4)}`,
      `send srt 8000 ${key.slice(-4)}`,
    ]);
    expect(await post('device/reveal-key', { sn: encoder })).toEqual({ result: 0, 'push-key': key });
    expect((await log()).slice(0, 4)).toContain(`device.reveal: Device ${encoder}`);
  });

  test('that refuses is told again after a change, not with each report', async () => {
    const hub = await setup();
    const { post, told, channel, fleet, online, query, lines } = hub;
    await connect(hub, encoder, channel);
    let refused = 0;
    fleet.sessions.set(encoder, {
      sendTo() {
        refused += 1;
        return Promise.reject(new DeviceProblem('busy', 'is updating'));
      },
    });
    await post('device/config', { sn: encoder, config: { input: { protocol: 2 } } });
    await until(() => refused === 1);
    for (let poll = 0; poll < 5; poll++) online(encoder);
    await query(encoder);
    expect(refused).toBe(1);
    expect(lines.filter((line) => line.includes('did not take what to send'))).toHaveLength(1);
    fleet.sessions.set(encoder, telling().session);
    const again = telling();
    fleet.sessions.set(encoder, again.session);
    await post('device/config', { sn: encoder, config: { input: { protocol: 2, latency: 300 } } });
    await until(() => again.told.length === 1);
    expect(told).toHaveLength(1);
  });

  test('ends its stream before it is deleted or rejected', async () => {
    const hub = await setup();
    const { post, told, channel, online } = hub;
    await connect(hub, encoder, channel);
    await post('device/reject', { sn: encoder });
    await post('device/accept', { sn: encoder });
    online(encoder);
    await connect(hub, encoder, channel);
    await post('device/del', { sn: encoder });
    expect(told.filter((text) => text.startsWith('end')).length).toBeGreaterThanOrEqual(2);
    expect(told.at(-1)).toBe('end sending to Signalbox');
  });

  test('is not deleted later because it does not answer', async () => {
    const hub = await setup();
    const { post, channel, fleet, sns } = hub;
    await connect(hub, encoder, channel);
    fleet.sessions.set(encoder, { stopSendingTo: () => Promise.reject(new DeviceProblem('timeout', 'no answer')) });
    expect(await post('device/del', { sn: encoder })).toEqual({ result: 0 });
    expect(await sns()).toEqual([decoder]);
  });
});

test('what devices were told is not in the database in clear text', async () => {
  const hub = await setup();
  await connect(hub, decoder, hub.channel);
  const rows = JSON.stringify(hub.db.$client.query('SELECT told FROM devices').all());
  expect(rows).not.toContain('to-watch');
  expect(rows).not.toBe('[{"told":null},{"told":null}]');
});

test('a list has the devices of a channel, and each device what the hub can set up', async () => {
  const hub = await setup();
  const { sns, channel, query, add } = hub;
  await add('AUDIO', {}, { api: 'apiPath', 'product-id': 1060, model: 'AES67' });
  await connect(hub, encoder, channel);
  await connect(hub, decoder, channel);
  expect(await sns(`channel=${channel}`)).toEqual([encoder, decoder]);
  expect(await sns(`channel=${channel}&dir=output`)).toEqual([decoder]);
  expect(await sns(`channel=${channel + 1}`)).toEqual([]);
  expect(await query(encoder)).toMatchObject({ dir: 256, 'connect-dir': 256 });
  expect(await query('AUDIO')).toMatchObject({ dir: 512, 'connect-dir': 0 });
});
