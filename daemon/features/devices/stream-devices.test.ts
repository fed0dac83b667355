/** Devices that are streams: what is stored and shown, and how they become inputs. */
import { expect, test } from 'bun:test';
import { until } from '../../../tests/support/until.ts';
import type { SourceTest } from '../../contract/inputs.ts';
import { groupTypes } from '../../contract/permission.ts';
import { deviceHub } from './device-hub-for-test.ts';

const there: SourceTest = {
  found: true,
  media: { container: 'ts', video: { codec: 'h264', width: 1280, height: 720, fps: 25 } },
};
const camera = 'rtsp://viewer:secret-word@cam.example/live?token=t0ken';

async function setUp() {
  const hub = await deviceHub();
  hub.fleet.streams.set('rtsp://cam.example/live', there);
  hub.fleet.streams.set('rtsp://cam.example/other', there);
  const add = (more: object = {}) =>
    hub.post('device/add', { address: camera, driver: 'stream', snapshot: '/pic.jpg?token=t0ken', ...more });
  const addChannel = async (name: string, config: object = {}) =>
    (await hub.post('channel/add', { name, config })).id as number;
  const desired = (id: number) => hub.media.applied.at(-1)?.channels.find((channel) => channel.id === id);
  return { ...hub, add, addChannel, desired };
}

test('a stream is opened when it is added, and is asked from then on', async () => {
  const { add, query, fleet, log, lines, db } = await setUp();
  const { list } = await add();
  const [{ sn }] = list;
  expect(list).toEqual([
    { address: 'rtsp://cam.example/live', sn: expect.stringMatching(/^S[0-9A-F]{16}$/), result: 0 },
  ]);
  await until(() => fleet.asked.length === 1);
  expect(fleet.asked[0]).toMatchObject({
    ...{ sn, api: 'stream', credentials: { password: '' } },
    described: { snapshot: '/pic.jpg?token=t0ken', source: { username: 'viewer', password: 'secret-word' } },
  });
  expect(fleet.ways.at(-1)).toMatchObject({ address: 'http://cam.example' });
  const device = await query(sn);
  expect(device).toMatchObject({
    ...{ name: 'cam.example', module: 4278190080, 'module-name': 'RTSP', 'product-id': 0, dir: 256, type: 257 },
    ...{ driver: 'stream', address: 'rtsp://cam.example/live?token=t0ken', user: 'viewer', 'password-set': true },
    snapshot: 'http://cam.example/pic.jpg?token=t0ken',
  });
  const stored = JSON.stringify(db.all('SELECT * FROM devices'));
  for (const text of [JSON.stringify(device), stored, lines.join(), (await log()).join()]) {
    expect(text).not.toContain('secret-word');
  }
  expect(stored).not.toContain('t0ken');
  expect(await log()).toContain(`device.add: cam.example: ${sn}, rtsp://cam.example/live`);
});

test('the same stream is one device; a stream that is not there, and other addresses, are refused', async () => {
  const { add, sns } = await setUp();
  await add();
  expect(await add({ name: 'Again' })).toMatchObject({ result: 1003 });
  const gone = await add({ address: 'rtsp://viewer:secret-word@gone.example/live', snapshot: '/a.jpg' });
  expect(gone).toMatchObject({ result: 10007, params: { problem: 'unreachable' } });
  expect(JSON.stringify(gone)).not.toContain('secret-word');
  const fields = async (more: object) => (await add(more)).fields;
  expect(await fields({ address: '192.0.2.1' })).toMatchObject([{ path: 'address', rule: 'scheme' }]);
  expect(await fields({ snapshot: 'http://other.example/x' })).toMatchObject([
    { path: 'snapshot', rule: 'snapshotHost' },
  ]);
  expect(await fields({ driver: undefined })).toMatchObject([{ path: 'snapshot', rule: 'unsupported' }]);
  expect(await fields({ driver: 'onvif' })).toMatchObject([{ path: 'driver', rule: 'choice' }]);
  expect(await sns()).toHaveLength(1);
});

test('who may not edit devices sees neither stream key nor query', async () => {
  const { add, get, sns, addUser } = await setUp();
  await add();
  const [sn] = await sns();
  const { dev } = await get(`device/query?sn=${sn}`, await addUser('viewer', groupTypes.viewer));
  expect(dev).toMatchObject({ address: 'rtsp://cam.example/live', snapshot: 'http://cam.example/pic.jpg' });
  expect(JSON.stringify(dev)).not.toContain('t0ken');
});

test('a change keeps the password for the same server only, and reaches channel and fleet', async () => {
  const { add, post, query, sns, fleet, addChannel, desired, log } = await setUp();
  await add();
  const [sn = ''] = await sns();
  const channel = await addChannel('Yard');
  expect(await post('device/connect', { sn, channel })).toEqual({ result: 0 });
  const { address, snapshot, user } = await query(sn);
  const before = fleet.asked[0]?.described;
  expect(await post('device/set', { sn, address, user, snapshot, name: 'Gate' })).toMatchObject({ result: 0 });
  expect(fleet.asked[0]?.described).toBe(before);
  expect(await post('device/set', { sn, address: 'rtsp://else.example/live', user })).toMatchObject({
    ...{ result: 7, fields: [{ path: 'password', rule: 'secretAgain' }] },
  });
  expect(await post('device/set', { sn, address: 'rtsp://cam.example/other', password: 'next-word' })).toMatchObject({
    result: 0,
  });
  const source = { url: 'rtsp://cam.example/other', username: 'viewer', password: 'next-word' };
  expect(desired(channel)?.input).toMatchObject(source);
  expect(fleet.asked[0]?.described).toMatchObject({ source });
  expect(await query(sn)).toMatchObject({ sn, name: 'Gate', 'owner-i': ['Yard'] });
  expect((await log()).slice(0, 2)).toEqual([
    'device.set: Gate: address rtsp://cam.example/other, password',
    'device.set: cam.example: name Gate',
  ]);
});

test('as the input of a channel, the hub pulls it, also while it is not there and without a listener', async () => {
  const { add, post, sns, fleet, get, addChannel, desired } = await setUp();
  await add();
  const [sn = ''] = await sns();
  await until(() => fleet.asked.length === 1);
  fleet.offline(sn);
  const channel = await addChannel('Yard');
  expect(await post('device/connect', { sn, channel, dir: 'output' })).toMatchObject({ result: 9 });
  expect(await post('device/connect', { sn, channel, dir: 'input' })).toEqual({ result: 0 });
  const { inputId, input } = desired(channel) ?? {};
  expect(input).toMatchObject({
    protocol: 'rtsp',
    url: 'rtsp://cam.example/live?token=t0ken',
    password: 'secret-word',
  });
  // Above the ids of all stored inputs: the engine knows the channel that has the stream by it.
  expect(inputId).toBeGreaterThan(0x1000_0000);
  const [{ input: shown }] = (await get('channel/dashboard')).list;
  expect(shown).toMatchObject({ type: 257, name: 'cam.example', addr: 'rtsp://cam.example/live' });
  expect(await post('device/connect', { sn, channel: 0 })).toEqual({ result: 0 });
  expect(desired(channel)).toMatchObject({ inputId: 0, input: { protocol: 'push' } });
});
