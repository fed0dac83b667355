/** Devices that state a stream, as inputs of channels: the hub opens it. */
import { expect, test } from 'bun:test';
import { until } from '../../../tests/support/until.ts';
import { families } from '../../contract/device-catalog.ts';
import { identityOf } from '../../devices/fleet-double-for-test.ts';
import type { RtspStream } from '../../sources/stream-address.ts';
import { deviceHub } from './device-hub-for-test.ts';

const sn = 'EX-0042';
const camera = { api: 'onvif', 'product-id': 0, model: 'Dome 4' } as const;
const stated = (path: string): RtspStream => ({
  ...{
    protocol: 'rtsp',
    url: `rtsp://192.0.2.7:554/${path}?token=t0ken`,
    username: 'admin',
    password: 'of-the-camera',
  },
  ...{ tcpFirst: true, bufferMs: 200 },
});

async function setUp() {
  const hub = await deviceHub();
  const { fleet, post } = hub;
  fleet.at.set('10.0.0.1', { identity: identityOf(sn, camera), api: 'onvif' });
  await post('device/add', { address: '10.0.0.1', user: 'admin', password: 'of-the-camera' });
  await until(() => fleet.asked.length === 1);
  const world: { stream: RtspStream | undefined } = { stream: stated('main') };
  const uses: string[] = [];
  fleet.sessions.set(sn, {
    stream: (use) => {
      uses.push(use);
      return Promise.resolve(world.stream);
    },
  });
  const online = () => fleet.online(sn, { identity: identityOf(sn, camera) });
  online();
  const channel = (await post('channel/add', { name: 'Yard', config: {} })).id as number;
  const desired = () => hub.media.applied.at(-1)?.channels.find(({ id }) => id === channel);
  return { ...hub, channel, desired, world, uses, online };
}

test('the hub pulls the best stream of a camera, at the address of the camera, also after a restart', async () => {
  const { post, query, channel, desired, uses, db, get } = await setUp();
  expect(await query(sn)).toMatchObject({ module: families.thirdParty, dir: 256, 'connect-dir': 256 });
  expect(await post('device/connect', { sn, channel })).toEqual({ result: 0 });
  expect(uses[0]).toBe('input');
  expect(desired()?.input).toMatchObject({
    ...{ protocol: 'rtsp', url: 'rtsp://10.0.0.1:554/main?token=t0ken', username: 'admin', password: 'of-the-camera' },
  });
  expect(await query(sn)).toMatchObject({ 'owner-i': ['Yard'] });
  const [{ input }] = (await get('channel/dashboard')).list;
  expect(input).toMatchObject({ type: 257, name: `Device ${sn}`, addr: 'rtsp://10.0.0.1:554/main' });
  // What the engine gets after a restart comes from the database, where it is sealed.
  const { pulled } = db.$client.query('SELECT pulled FROM devices').get() as { pulled: string };
  expect(pulled).not.toMatch(/rtsp|of-the-camera|t0ken/);
  expect(await post('device/connect', { sn, channel: 0 })).toEqual({ result: 0 });
  expect(desired()?.input).toEqual({ protocol: 'push' });
});

test('a stream with another address is followed, without another act of the user', async () => {
  const { post, channel, desired, world, fleet, online } = await setUp();
  await post('device/connect', { sn, channel });
  world.stream = stated('other');
  fleet.at.set('10.0.0.2', { identity: identityOf(sn, camera), api: 'onvif' });
  await post('device/set', { sn, address: '10.0.0.2', password: 'of-the-camera' });
  online();
  await until(() => JSON.stringify(desired()?.input).includes('10.0.0.2:554/other'));
});

test('a camera that is offline or states no stream is refused, and the channel keeps its input', async () => {
  const { post, channel, desired, world, fleet, online } = await setUp();
  world.stream = undefined;
  expect(await post('device/connect', { sn, channel })).toMatchObject({
    ...{ result: 9, message: `'Device ${sn}' reports no RTSP stream` },
  });
  fleet.offline(sn);
  expect(await post('device/connect', { sn, channel })).toMatchObject({ result: 10007 });
  expect(desired()?.input).toEqual({ protocol: 'push' });
  online();
});

test('the stream of a camera behind an agent is refused with the reason', async () => {
  const { apply, post, query, fleet, channel } = await setUp();
  apply('EX-0043', 'key', { api: 'onvif', productId: '0' });
  await post('device/accept', { sn: 'EX-0043' });
  await until(() => fleet.asked.length === 2);
  fleet.online('EX-0043');
  expect(await query('EX-0043')).toMatchObject({ 'connect-dir': 0 });
  const refusal = await post('device/connect', { sn: 'EX-0043', channel });
  expect(refusal).toMatchObject({ result: 9 });
  expect(refusal.message).toContain('its agent carries no streams');
});
