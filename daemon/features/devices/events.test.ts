import { expect, test } from 'bun:test';
import { until } from '../../../tests/support/until.ts';
import type { DeviceEvent } from '../../contract/devices.ts';
import { deviceApi } from '../../contract/devices.ts';
import { decoder, deviceHub, encoder, ofDecoder } from './device-hub-for-test.ts';
import { eventOf, eventTexts } from './events.ts';

const line = (text: string) => eventOf({ id: 1, time: 2, level: 'warn', scope: 'devices', text });

test('a line is read as an event with its word, which a name cannot imitate', () => {
  expect(line(`${eventTexts.offline} peer=A1 device=Nave reason=timeout`)).toMatchObject({
    ...{ event: 'offline', word: 'timeout' },
  });
  expect(line(`${eventTexts.online} peer=A1 device="x reason=timeout"`)).toEqual({
    ...{ id: 1, time: 2, level: 'warn', event: 'online' },
    text: `${eventTexts.online} peer=A1 device="x reason=timeout"`,
  });
  expect(line(`${eventTexts.offline}: and 12 more in 60 s peer=A1`)).toMatchObject({ event: 'other' });
  expect(line('a device may continue to send to the hub peer=A1 reason=timeout')).toMatchObject({ event: 'other' });
});

/** The device with both of these in its log: the newest of them was written last. */
async function hubWithEvents() {
  const hub = await deviceHub();
  const { add, fleet, get } = hub;
  await add(encoder);
  await add(decoder, { name: `A peer=${encoder} B` }, ofDecoder);
  await until(() => fleet.asked.length === 2);
  const events = async (query = '', as = hub.admin): Promise<DeviceEvent[]> => {
    const answer = await get(`device/log?sn=${encoder}${query}`, as);
    expect(deviceApi.log.response.parse(answer)).toEqual({ list: answer.list, next: answer.next });
    return answer.list;
  };
  const words = async (query = '') => (await events(query)).map(({ event, word }) => [event, word].join(' ').trim());
  return { ...hub, events, words };
}

test('the log of a device has its connection, its problems and what it warns of, the newest first', async () => {
  const { fleet, words, get } = await hubWithEvents();
  fleet.online(decoder);
  fleet.online(encoder);
  fleet.online(encoder, { warnings: ['noSignal', 'hot'] });
  fleet.online(encoder, { warnings: ['hot'] });
  fleet.offline(encoder, 'timeout');
  fleet.offline(encoder, 'wrongPassword');
  // What it warned of before is not told again.
  fleet.online(encoder, { warnings: ['hot'] });
  await until(async () => (await words()).length >= 7);
  expect(await words()).toEqual([
    ...['online', 'problem wrongPassword', 'offline timeout', 'warningOver noSignal', 'warning hot'],
    ...['warning noSignal', 'online'],
  ]);
  const first = await get(`device/log?sn=${encoder}&count=3`);
  expect(first.list).toHaveLength(3);
  const rest = await get(`device/log?sn=${encoder}&before=${first.next}`);
  expect([rest.list.length, rest.next]).toEqual([4, 0]);
});

test('the log of a device that the caller may not see is that of a device that does not exist', async () => {
  const { post, get, signIn, fleet } = await hubWithEvents();
  fleet.online(encoder);
  await post('usr/add', { name: 'mei', password: 'Night-shift-1', 'group-id': 4 });
  const mei = await signIn('mei', 'Night-shift-1');
  expect(await get(`device/log?sn=${encoder}`, mei)).toMatchObject({ result: 0 });
  await post('device/security/set', { sn: encoder, security: { 'is-inherit': false, 'group-mask': 0, 'usr-mask': 0 } });
  expect(await get(`device/log?sn=${encoder}`, mei)).toMatchObject({ result: 10006 });
  expect(await get('device/log?sn=none', mei)).toMatchObject({ result: 10006 });
});

test('connecting a device to a channel is a change of both', async () => {
  const { add, post, get, query, fleet } = await deviceHub({ SIGNALBOX_HOSTS: 'hub.example' });
  await add(encoder);
  await until(() => fleet.asked.length === 1);
  fleet.online(encoder);
  fleet.sessions.set(encoder, { sendTo: () => Promise.resolve(), stopSendingTo: () => Promise.resolve() });
  const { id: channel } = await post('channel/add', { name: 'Service' });
  expect(await post('device/connect', { sn: encoder, channel })).toEqual({ result: 0 });
  const { id, revision } = await query(encoder);
  expect(await post('device/set', { sn: encoder, user: 'root', revision })).toMatchObject({ result: 0 });
  expect(await post('device/connect', { sn: encoder, channel: 0 })).toEqual({ result: 0 });
  const { list } = await get(`log/list?device=${id}`);
  expect(list.map(({ action, detail }: Record<string, string>) => `${action} ${detail}`)).toEqual([
    ...['channel.setInput Service: push key', `device.set Device ${encoder}: user root`],
    ...[`channel.setInput Service: Device ${encoder}`, expect.stringContaining('device.add')],
  ]);
});

test('the operation log is filtered by device, whatever devices are called', async () => {
  const { add, post, get, query } = await deviceHub();
  await add(encoder, { name: 'Nave' });
  await add(decoder, { name: 'Nave' }, ofDecoder);
  await post('device/set', { sn: decoder, name: 'Aisle' });
  const actions = async (filter: string) =>
    (await get(`log/list?${filter}`)).list.map(({ action }: { action: string }) => action);
  const { id } = await query(decoder);
  expect(await actions(`device=${id}`)).toEqual(['device.set', 'device.add']);
  expect(await actions(`device=${id}&count=1`)).toEqual(['device.set']);
  expect(await actions(`device=${id}&key=aisle`)).toEqual(['device.set']);
  expect(await actions('device=1')).toEqual([]);
});
