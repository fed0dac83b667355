/** Port forwards of a whole hub, over real sockets to ports that stand for those of devices. */
import { afterEach, describe, expect, test } from 'bun:test';
import type { Socket } from 'bun';
import { adminPassword } from '../../../tests/fixtures/composed-hub.ts';
import { until } from '../../../tests/support/until.ts';
import { forwardStates } from '../../contract/forward-states.ts';
import type { Forward } from '../../contract/forwards.ts';
import { limits } from '../../contract/limits.ts';
import { maskOf, type Permission } from '../../contract/permission.ts';
import { deviceHub, encoder } from '../devices/device-hub-for-test.ts';

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

const own = { hostname: '127.0.0.1', port: 0 };

/** What listens on a port of the device: it returns everything in capitals, and ends when the client ends. */
function listen(): number {
  const listener = Bun.listen({
    ...{ ...own, allowHalfOpen: true },
    socket: {
      data: (socket, bytes) => void socket.write(String(bytes).toUpperCase()),
      end: (socket) => void socket.end(),
    },
  });
  stops.push(() => listener.stop(true));
  return listener.port;
}

interface Client {
  readonly socket: Socket;
  text: string;
  isClosed: boolean;
}

async function connect(port: number): Promise<Client> {
  const client = { text: '', isClosed: false };
  const socket = await Bun.connect({
    ...{ hostname: '127.0.0.1', port },
    socket: {
      data(_, bytes) {
        client.text += bytes;
      },
      close() {
        client.isClosed = true;
      },
    },
  });
  stops.push(() => socket.terminate());
  return Object.assign(client, { socket });
}

async function forwardHub() {
  const hub = await deviceHub();
  await hub.add(encoder);
  hub.fleet.online(encoder);
  hub.fleet.tcp.set(`${encoder}:22`, listen());
  const list = async (as = hub.admin): Promise<Forward[]> => (await hub.get('device/forward/list', as)).list;
  const shown = async (id: number): Promise<Forward> => (await list()).find((one) => one.id === id)!;
  const add = (more: object = {}, as = hub.admin) =>
    hub.post('device/forward/add', { sn: encoder, 'remote-port': 22, start: true, ...more }, as);
  /** A user with these permissions. */
  const user = async (...permissions: Permission[]) => {
    await hub.post('usr/add', { name: 'ann', password: adminPassword });
    const mask = maskOf(...permissions);
    const { id } = await hub.post('usr-group/add', { name: 'Trial', permissions: mask, users: ['ann'] });
    return { id: id as number, ann: await hub.signIn('ann') };
  };
  return { ...hub, list, shown, addForward: add, user };
}

test('a forward carries bytes to the port of the device and back, and counts them', async () => {
  const hub = await forwardHub();
  const { id, port } = await hub.addForward({ name: 'Shell' });
  const client = await connect(port);
  client.socket.write('hello');
  await until(() => client.text === 'HELLO');
  expect(await hub.shown(id)).toMatchObject({
    ...{ id, sn: encoder, name: 'Shell', 'remote-port': 22, 'local-port': 0, address: '127.0.0.1', port },
    ...{ started: true, state: forwardStates.connected, 'started-by': 'Admin' },
    ...{ connections: 1, 'total-connections': 1, 'rx-bytes': 5, 'tx-bytes': 5 },
  });
  client.socket.end();
  await until(async () => (await hub.shown(id)).connections === 0);
  expect(await hub.shown(id)).toMatchObject({ 'total-connections': 1, 'rx-bytes': 5, 'tx-bytes': 5 });
});

test('stopping closes the port and its connections, and the operation log has what was carried', async () => {
  const hub = await forwardHub();
  const { id, port } = await hub.addForward({ name: 'Shell' });
  const client = await connect(port);
  client.socket.write('hello');
  await until(() => client.text === 'HELLO');
  await hub.post('device/forward/stop', { id });
  await until(() => client.isClosed);
  expect(connect(port)).rejects.toThrow();
  expect(await hub.shown(id)).toMatchObject({ started: false, state: forwardStates.idle, port: 0 });
  expect((await hub.log()).slice(0, 5)).toEqual([
    'forward.disconnect: Shell: 127.0.0.1, connections 1, received 5 B, sent 5 B',
    'forward.stop: Shell: connections 1, received 5 B, sent 5 B',
    'forward.connect: Shell: 127.0.0.1',
    `forward.start: Shell: 127.0.0.1, port ${port}`,
    'forward.add: Shell: 127.0.0.1, port 22 of the device, any port, permanent false, idle limit 60 min',
  ]);
});

test('a forward that the hub chose a port for gets the same one again', async () => {
  const hub = await forwardHub();
  const { id, port } = await hub.addForward();
  await hub.post('device/forward/stop', { id });
  expect(await hub.post('device/forward/start', { id })).toMatchObject({ result: 0, port });
});

describe('a forward is refused', () => {
  test.each([
    ['a port of the device that is not allowed', { 'remote-port': 23 }, { result: 7, path: 'remote-port' }],
    ['an address that the hub does not have', { address: '192.0.2.1' }, { result: 7, path: 'address' }],
    ['all addresses', { address: '0.0.0.0' }, { result: 7, path: 'address' }],
    ['a port of the hub', { 'local-port': 1935 }, { result: 1007, port: 1935 }],
    ['the port for consoles of devices', { 'local-port': 8071 }, { result: 1007, port: 8071 }],
    ['a port out of range', { 'local-port': 65_536 }, { result: 7, path: 'local-port' }],
    ['an unknown device', { sn: 'X' }, { result: 10_006 }],
  ])('for %s, and nothing is stored', async (_, body, { result, ...facts }) => {
    const hub = await forwardHub();
    const answer = await hub.addForward(body);
    expect(answer.result).toBe(result);
    if ('path' in facts) expect(answer.fields[0].path).toBe(facts.path);
    if ('port' in facts) expect(answer.params).toEqual({ port: facts.port });
    expect(await hub.list()).toEqual([]);
  });

  test('for a port that another program has, and stays stored without a start', async () => {
    const hub = await forwardHub();
    const taken = listen();
    expect(await hub.addForward({ 'local-port': taken })).toMatchObject({ result: 1007, params: { port: taken } });
    expect(await hub.list()).toEqual([]);
    const { id } = await hub.addForward({ 'local-port': taken, start: false });
    expect(await hub.post('device/forward/start', { id })).toMatchObject({ result: 1007 });
    expect(await hub.shown(id)).toMatchObject({ started: false });
  });

  test('beyond the limit', async () => {
    const hub = await forwardHub();
    for (let count = 0; count < limits.forwards.count; count++) await hub.addForward({ start: false });
    const refused = { result: 17, params: { what: 'port forwards', limit: limits.forwards.count } };
    expect(await hub.addForward()).toMatchObject(refused);
  });

  test('to a device that is not approved', async () => {
    const hub = await forwardHub();
    await hub.post('device/reject', { sn: encoder });
    expect(await hub.addForward()).toMatchObject({ result: 38 });
  });
});

test('an administrator adds ports of a device, and removing one stops its forwards', async () => {
  const hub = await forwardHub();
  hub.fleet.tcp.set(`${encoder}:5000`, listen());
  await hub.post('device/forward/ports/set', { sn: encoder, ports: [5000, 22, 5000] });
  expect(await hub.get(`device/forward/options?sn=${encoder}`)).toMatchObject({ ports: [5000] });
  const { id, port } = await hub.addForward({ 'remote-port': 5000 });
  const client = await connect(port);
  client.socket.write('hello');
  await until(() => client.text === 'HELLO');
  await hub.post('device/forward/ports/set', { sn: encoder, ports: [] });
  await until(() => client.isClosed);
  expect(await hub.shown(id)).toMatchObject({ started: false, state: forwardStates.failed, reason: 'noPermission' });
});

describe('the connections of a user are closed', () => {
  const cases: [string, (hub: Awaited<ReturnType<typeof forwardHub>>, group: number) => Promise<unknown>][] = [
    ['the permission is revoked', (hub, id) => hub.post('usr-group/set', { id, permissions: maskOf('deviceView') })],
    ['the user is deleted', (hub) => hub.post('usr/del', { name: 'ann' })],
    [
      'the device is hidden from the user',
      (hub) => {
        const security = { 'is-inherit': false, 'group-mask': 1, 'usr-mask': 0 };
        return hub.post('device/security/set', { sn: encoder, security });
      },
    ],
    [
      'all devices are hidden from the user',
      (hub) => hub.post('device/global/set', { security: { 'group-mask': 1, 'usr-mask': 0 } }),
    ],
    ['the device is rejected', (hub) => hub.post('device/reject', { sn: encoder })],
    ['the device is deleted', (hub) => hub.post('device/del', { sn: encoder })],
    ['somebody deletes the forward', async (hub) => hub.post('device/forward/del', { id: (await hub.list())[0]!.id })],
  ];
  test.each(cases)('when %s', async (_, take) => {
    const hub = await forwardHub();
    const { ann, id } = await hub.user('deviceControl', 'deviceView', 'firmwareView');
    const { port } = await hub.addForward({}, ann);
    const client = await connect(port);
    client.socket.write('hello');
    await until(() => client.text === 'HELLO');
    const began = performance.now();
    expect(await take(hub, id)).toMatchObject({ result: 0 });
    await until(() => client.isClosed);
    expect(performance.now() - began).toBeLessThan(1000);
    expect(connect(port)).rejects.toThrow();
  });

  test('when the access token that started it is deleted', async () => {
    const hub = await forwardHub();
    const { token, id } = await hub.post('token/add', { name: 'Script', password: adminPassword });
    const { port } = await hub.json('/api/device/forward/add', {
      ...{ method: 'POST', headers: { authorization: `Bearer ${token}` } },
      body: { sn: encoder, 'remote-port': 22, start: true },
    });
    const client = await connect(port);
    const began = performance.now();
    await hub.post('token/del', { id });
    await until(() => client.isClosed);
    expect(performance.now() - began).toBeLessThan(1000);
  });
});

test('who does not see a device sees none of its forwards, and cannot change them', async () => {
  const hub = await forwardHub();
  const { ann } = await hub.user('deviceControl', 'deviceView', 'firmwareView');
  const { id } = await hub.addForward();
  const security = { 'is-inherit': false, 'group-mask': 1, 'usr-mask': 0 };
  await hub.post('device/security/set', { sn: encoder, security });
  expect(await hub.list(ann)).toEqual([]);
  for (const call of ['start', 'stop', 'del', 'set']) {
    expect(await hub.post(`device/forward/${call}`, { id }, ann)).toMatchObject({ result: 16 });
  }
  expect(await hub.addForward({}, ann)).toMatchObject({ result: 10_006 });
});

test('only who may approve devices opens a port to the network', async () => {
  const hub = await forwardHub();
  const { addresses } = await hub.get(`device/forward/options?sn=${encoder}`);
  expect(addresses[0].address).toBe('127.0.0.1');
  const outer = addresses.find(({ link }: { link: string }) => link !== 'lo')?.address;
  if (outer === undefined) return;
  const { ann } = await hub.user('deviceControl', 'deviceView', 'firmwareView');
  expect(await hub.addForward({ address: outer }, ann)).toMatchObject({ result: 31 });
  expect(await hub.addForward({ address: outer })).toMatchObject({ result: 0 });
});

test('ports and address of a started forward stay; the rest can be changed', async () => {
  const hub = await forwardHub();
  const { id } = await hub.addForward();
  const { revision } = await hub.shown(id);
  expect(await hub.post('device/forward/set', { id, 'remote-port': 80 })).toMatchObject({ result: 38 });
  const change = { id, name: 'Shell', 'auto-start': true, 'idle-minutes': 0, 'remote-port': 22, revision };
  expect(await hub.post('device/forward/set', change)).toMatchObject({ result: 0, revision: revision + 1 });
  expect(await hub.shown(id)).toMatchObject({ name: 'Shell', 'auto-start': true, 'idle-minutes': 0 });
  expect(await hub.post('device/forward/set', { id, name: 'Other', revision })).toMatchObject({ result: 1004 });
});

test('the state follows the device, and a failed connection has its reason', async () => {
  const hub = await forwardHub();
  const { id, port } = await hub.addForward();
  hub.fleet.offline(encoder);
  expect(await hub.shown(id)).toMatchObject({ state: forwardStates.idle, reason: 'deviceOffline', port });
  hub.fleet.online(encoder);
  expect(await hub.shown(id)).toMatchObject({ state: forwardStates.connected });
  const gone = listen();
  stops.pop()?.();
  hub.fleet.tcp.set(`${encoder}:22`, gone);
  const client = await connect(port);
  await until(() => client.isClosed);
  expect(await hub.shown(id)).toMatchObject({ state: forwardStates.connected, reason: 'portRefused' });
});

test('a forward takes 64 connections at a time', async () => {
  const hub = await forwardHub();
  const { id, port } = await hub.addForward();
  const clients = await Promise.all(Array.from({ length: limits.forwards.connections + 1 }, () => connect(port)));
  await until(() => clients.filter(({ isClosed }) => isClosed).length === 1);
  expect(await hub.shown(id)).toMatchObject({ connections: 64, reason: 'tooManyConnections' });
  // 64 connections of one address are one entry.
  expect((await hub.log()).filter((line) => line.startsWith('forward.connect'))).toHaveLength(1);
});
