/** Two changes of one device at the same time, and changes while the device is busy with another one. */
import { expect, test } from 'bun:test';
import { until } from '../../../tests/support/until.ts';
import { decoder, deviceHub, encoder, ofDecoder } from './device-hub-for-test.ts';

type Setup = Awaited<ReturnType<typeof deviceHub>>;

/** An act of the device that ends when the test says so. */
function held<T>(value: T) {
  const [started, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<T>()];
  const act = () => {
    started.resolve();
    return ended.promise;
  };
  return { act, started: started.promise, end: () => ended.resolve(value) };
}

async function withDevice(sn: string, identity = {}) {
  const hub = await deviceHub({ SIGNALBOX_HOSTS: 'hub.example' });
  await hub.add(sn, {}, identity);
  await until(() => hub.fleet.asked.length === 1);
  hub.fleet.online(sn);
  return hub;
}
const entries = async ({ log }: Setup, action: string) => (await log()).filter((line) => line.startsWith(action));

test('a device that is deleted while it is renamed is gone', async () => {
  const hub = await withDevice(encoder);
  const rename = held({ silentMs: 1 });
  hub.fleet.sessions.set(encoder, { rename: rename.act });
  const renaming = hub.post('device/set', { sn: encoder, name: 'Truck' });
  await rename.started;
  expect(await hub.post('device/del', { sn: encoder })).toEqual({ result: 0 });
  rename.end();
  expect(await renaming).toMatchObject({ result: 10006 });
  expect(await entries(hub, 'device.set')).toEqual([]);
  expect(await hub.sns()).toEqual([]);
});

test('a device that was deleted and added again is not changed by a call of before', async () => {
  const hub = await withDevice(encoder);
  const rename = held({ silentMs: 1 });
  hub.fleet.sessions.set(encoder, { rename: rename.act });
  const renaming = hub.post('device/set', { sn: encoder, name: 'Truck', password: 'of-before' });
  await rename.started;
  await hub.post('device/del', { sn: encoder });
  await hub.add(encoder);
  rename.end();
  expect(await renaming).toMatchObject({ result: 10006 });
  expect(await hub.query(encoder)).toMatchObject({ name: `Device ${encoder}`, revision: 2 });
  expect(hub.fleet.asked[0]?.credentials.password).toBe('of-the-device');
});

test.each([
  ['del', 10006],
  ['reject', 38],
] as const)('%s while a device is being connected leaves the channel as it was', async (call, result) => {
  const hub = await withDevice(encoder);
  const { id: channel } = await hub.post('channel/add', { name: 'Studio' });
  const send = held(undefined);
  const stopped: string[] = [];
  hub.fleet.sessions.set(encoder, {
    sendTo: send.act,
    stopSendingTo: (name) => Promise.resolve(void stopped.push(name)),
  });
  const connecting = hub.post('device/connect', { sn: encoder, channel });
  await send.started;
  expect(await hub.post(`device/${call}`, { sn: encoder })).toEqual({ result: 0 });
  send.end();
  expect(await connecting).toMatchObject({ result });
  expect(hub.hub.channels.configured().map(({ device }) => device)).toEqual([undefined]);
});

test.each([
  ['del', 10006],
  ['reject', 38],
] as const)('%s while a decoder takes a channel leaves it without one', async (call, result) => {
  const hub = await withDevice(decoder, ofDecoder);
  const { id: channel } = await hub.post('channel/add', { name: 'Studio' });
  const play = held(undefined);
  hub.fleet.sessions.set(decoder, { play: play.act });
  const connecting = hub.post('device/connect', { sn: decoder, channel });
  await play.started;
  expect(await hub.post(`device/${call}`, { sn: decoder })).toEqual({ result: 0 });
  play.end();
  expect(await connecting).toMatchObject({ result });
  expect(await entries(hub, 'device.play')).toEqual([]);
});

test('of two administrators who add one device, the second is told that it exists', async () => {
  const hub = await deviceHub();
  const results = await Promise.all([hub.add(encoder), hub.add(encoder), hub.add(encoder)]);
  expect(results.map(({ result }) => result).toSorted((a, b) => a - b)).toEqual([0, 1003, 1003]);
  expect(await entries(hub, 'device.add')).toHaveLength(1);
});

test('of two administrators who decide about a device, the last one wins, and each decision is logged', async () => {
  const hub = await deviceHub();
  for (const sn of ['A1', 'A2', 'A3']) hub.apply(sn);
  const calls = ['accept', 'reject', 'accept', 'del', 'accept', 'reject'];
  const results = await Promise.all(calls.map(async (call) => (await hub.post(`device/${call}`, { sn: 'A1' })).result));
  expect(results).toEqual([0, 0, 0, 0, 10006, 10006]);
  expect((await entries(hub, 'device.')).map((line) => line.split(':')[0]).toReversed()).toEqual([
    ...['device.accept', 'device.reject', 'device.accept', 'device.del'],
  ]);
  expect(await hub.sns('reg-state=waiting')).toEqual(['A2', 'A3']);
  // All of a list, or none of it.
  expect((await hub.post('device/accept', { sn: ['A2', 'A1'] })).result).toBe(10006);
  expect(await hub.sns('reg-state=waiting')).toEqual(['A2', 'A3']);
});

test('the same password, entered again, is tried again: it may be right by now', async () => {
  const hub = await withDevice(encoder);
  const [before] = hub.fleet.asked;
  hub.fleet.offline(encoder, 'wrongPassword');
  await hub.post('device/set', { sn: encoder, name: 'Truck' });
  expect(hub.fleet.asked[0]?.transport).toBe(before!.transport);
  await hub.post('device/set', { sn: encoder, password: 'of-the-device' });
  // A transport of its own makes the fleet begin again.
  expect(hub.fleet.asked[0]?.transport).not.toBe(before!.transport);
  expect(hub.fleet.asked[0]?.credentials).toEqual(before!.credentials);
});
