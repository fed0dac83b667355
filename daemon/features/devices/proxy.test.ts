/** Existing programs read from devices and act on them through the hub: raw requests to it, with simulated devices of each API behind it. */
import { afterEach, describe, expect, test } from 'bun:test';
import { adminPassword, type Call, composedHub } from '../../../tests/fixtures/composed-hub.ts';
import { ApiPathDevice } from '../../../tests/sim/devices/api-path.ts';
import { DirectorDevice } from '../../../tests/sim/devices/director.ts';
import { MwapiDevice } from '../../../tests/sim/devices/mwapi.ts';
import { MwapiPathDevice } from '../../../tests/sim/devices/mwapi-path.ts';
import { type Simulator, serveDevice } from '../../../tests/sim/devices/serve.ts';
import { UsapiDevice } from '../../../tests/sim/devices/usapi.ts';
import { until } from '../../../tests/support/until.ts';
import { bitOf, groupTypes } from '../../contract/permission.ts';
import { createDevicePorts } from '../../devices/device-ports.ts';
import { timing } from '../../timing.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A hub with the device, which is online. */
async function hubWith(device: Simulator, known: string | undefined, more: object = {}) {
  const times = {
    ...timing.fleet,
    unwatchedMs: 50,
    againMs: 50,
    offlineMs: 50,
    longestPauseMs: 100,
    pollLimitMs: 1000,
  };
  const hub = await composedHub({
    devicePorts: (options) => createDevicePorts(options, times),
    env: { SIGNALBOX_FEATURES: 'devices' },
  });
  hub.hub.start();
  closing.push(hub.remove, hub.hub.close);
  const admin = await hub.signIn('Admin');
  const server = serveDevice(device);
  closing.push(server.close);
  const address = `127.0.0.1:${server.address.port}`;
  const added = await hub.post(
    '/api/device/add',
    { address, ...(known !== undefined && { user: 'Admin', password: 'Admin' }), ...more },
    admin,
  );
  expect(added).toMatchObject({ result: 0 });
  // A Director does not state its serial number.
  const sn = known ?? added.list[0].sn;
  const shown = async () => (await hub.json(`/api/device/query?sn=${sn}`, { as: admin })).dev;
  await until(async () => (await shown()).connection === 'online');
  /** `call`: path and query after `/socket/`. */
  const raw = (call: string, more: Call = {}) =>
    hub.call(`/socket/${call}${call.includes('?') ? '&' : '?'}sc-client-id=${sn}`, { as: admin, ...more });
  const send = async (call: string, more: Call = {}) => (await raw(call, more)).json();
  const log = async () =>
    (await hub.json('/api/log/list?count=100', { as: admin })).list.map(
      ({ action, result }: { action: string; result: number }) => `${action} ${result}`,
    );
  return { ...hub, admin, server, shown, raw, send, log };
}
const ultraEncode = () => new UsapiDevice({ kind: 'encode', sn: 'B313231201201', name: 'Truck' }).asRecorded();

test('Ultra Encode: reads are passed on, and only those that have no secrets', async () => {
  const device = ultraEncode();
  const { send } = await hubWith(device, device.sn);
  expect(await send('usapi?method=ping')).toEqual({ result: 0 });
  expect(await send('usapi?method=get-info')).toMatchObject({ result: 0, product: { sn: device.sn } });
  expect(await send('usapi?method=get-status&v=1700000000')).toMatchObject({ result: 0, 'box-name': 'Truck' });
  for (const method of ['get-servers', 'get-report', 'import-settings', 'add-server', 'get-summary-info']) {
    expect([method, await send(`usapi?method=${method}`)]).toMatchObject([method, { result: 9 }]);
    expect(device.calls).not.toContain(method);
  }
  for (const method of ['get-settings', 'login']) {
    expect([method, await send(`usapi?method=${method}`)]).toMatchObject([method, { result: 9 }]);
  }
  expect(await send('mwapi?method=get-status')).toMatchObject({ result: 9, status: 9 });
  expect(await send('usapi')).toMatchObject({ result: 9 });
});

test('Pro Convert: the code is in `status`, and what a decoder plays has no query', async () => {
  const device = new MwapiDevice({ kind: 'decoder', sn: 'A421240212014', name: 'Lobby' });
  const { send } = await hubWith(device, device.sn);
  const summary = await send('mwapi?method=get-summary-info');
  expect(summary).toMatchObject({ status: 0, device: { name: 'Lobby', 'serial-no': device.sn } });
  expect(JSON.stringify(summary)).not.toMatch(/:\/\/[^"]*\?/);
  expect(await send('mwapi?method=list-channels')).toMatchObject({ status: 9 });
  device.faults = { codes: { 'get-signal-info': 5 } };
  expect(await send('mwapi?method=get-signal-info')).toEqual({ status: 5 });
});

test('devices with a path per call answer at the same path', async () => {
  const decoder = new ApiPathDevice({ kind: 'decoder', sn: 'A442250318007', name: 'Wall' });
  const { send } = await hubWith(decoder, decoder.sn);
  expect(await send('api/system/summary')).toMatchObject({ status: 0, 'serial-number': decoder.sn });
  expect(await send('api/source/list?type=all')).toMatchObject({ status: 9 });
  expect(await send('api/user/get-all', { method: 'POST', body: {} })).toMatchObject({ status: 9 });
});

test('USB Fusion answers at both of its paths', async () => {
  const device = new MwapiPathDevice();
  const sn = 'A506230822005';
  const { send } = await hubWith(device, sn);
  for (const path of ['mwapi/get-summary-info', 'mwapi/V2.0/dashboard/get-summary-info']) {
    expect([path, await send(path, { method: 'POST', body: {} })]).toMatchObject([path, { status: 0, device: {} }]);
  }
});

test('a session that has ended is renewed for a read, and no credentials of the hub reach the device', async () => {
  const device = ultraEncode();
  const headers: string[] = [];
  const { handle } = device;
  device.handle = (request) => {
    headers.push([...request.headers].map(([name, value]) => `${name}: ${value}`).join('\n'));
    return handle.call(device, request);
  };
  const { send, admin } = await hubWith(device, device.sn);
  device.expireSessions();
  const more = { headers: { 'x-forwarded-for': '192.0.2.9', 'x-secret': 'of the caller' } };
  expect(await send('usapi?method=get-status', more)).toMatchObject({ result: 0 });
  expect(headers.join('\n')).not.toMatch(/authorization|mwcloud|x-forwarded-for|x-secret/);
  expect(headers.join('\n')).not.toContain(admin);
});

test('an unknown device, one that is offline, and one that does not answer have the published codes', async () => {
  const device = ultraEncode();
  const { send, json, admin, shown, server } = await hubWith(device, device.sn);
  const other = await json('/socket/usapi?method=ping&sc-client-id=A302190930002', { as: admin });
  expect(other).toMatchObject({ result: 10006 });
  expect(await json('/socket/mwapi?method=ping', { as: admin })).toMatchObject({ result: 7, status: 7 });
  device.faults = { unanswered: ['get-signal-info'] };
  expect(await send('usapi?method=get-signal-info')).toMatchObject({ result: 10004 });
  await server.switchOff();
  await until(async () => (await shown()).connection === 'offline');
  expect(await send('usapi?method=ping')).toMatchObject({ result: 10007 });
});

test('only users who see the device are answered, and only with a session', async () => {
  const device = ultraEncode();
  const { send, raw, post, admin, addUser } = await hubWith(device, device.sn);
  const viewer = await addUser('viewer', groupTypes.viewer);
  expect(await send('usapi?method=ping', { as: viewer })).toEqual({ result: 0 });
  expect(await send('usapi?method=ping', { as: 'none' })).toMatchObject({ result: 37 });
  expect(await send('mwapi/reboot', { as: 'none', method: 'POST' })).toMatchObject({ result: 37, status: 37 });
  const security = { 'is-inherit': false, 'group-mask': 0, 'usr-mask': 0 };
  await post('/api/device/security/set', { sn: device.sn, security }, admin);
  expect(await send('usapi?method=ping', { as: viewer })).toMatchObject({ result: 10006 });
  for (const headers of [{ origin: 'http://evil.example' }, { 'sec-fetch-site': 'same-site' }]) {
    expect((await raw('usapi?method=ping', { headers })).status).toBe(403);
  }
});

test('Ultra Encode: each published act has its result in `result`, and is in the operation log', async () => {
  const device = ultraEncode();
  const { send, shown, log } = await hubWith(device, device.sn);
  for (const [call, fact, value] of [
    ['start-rec', 'recording', true],
    ['stop-rec', 'recording', false],
    ['start-live', 'living', true],
    ['stop-live', 'living', false],
  ] as const) {
    expect([call, await send(`usapi?method=${call}`)]).toEqual([call, { result: 0 }]);
    expect(device.calls).toContain(call);
    await until(async () => (await shown()).facts[fact] === value);
  }
  expect(await send('usapi?method=stop-live')).toEqual({ result: 1 });
  expect(await send('usapi?method=set-name&name=Van%20two')).toEqual({ result: 0 });
  expect([device.name, (await shown()).name]).toEqual(['Van two', 'Van two']);
  expect(await send('usapi?method=reboot', { method: 'POST' })).toEqual({ result: 0 });
  expect(await send('usapi?method=reboot')).toMatchObject({ result: 1 });
  expect(device.calls.filter((call) => call === 'reboot')).toHaveLength(1);
  const acts = ['record-start 0', 'record-stop 0', 'live-start 0', 'live-stop 0', 'rename 0', 'reboot 0', 'reboot 11'];
  expect(await log()).toEqual(expect.arrayContaining(acts.map((act) => `device.${act}`)));
});

test('Pro Convert: a rename and a reboot', async () => {
  const device = new MwapiDevice({ kind: 'encoder', sn: 'B401240212014', name: 'Camera', renameMs: 0 });
  const { send } = await hubWith(device, device.sn);
  expect(await send('mwapi?method=set-eth-config&name=Left&dhcp=true')).toMatchObject({ status: 7 });
  expect(await send('mwapi?method=set-eth-config')).toMatchObject({ status: 7 });
  expect(await send('mwapi?method=set-eth-config&name=Left')).toEqual({ status: 0 });
  expect(device.name).toBe('Left');
});

test('an IP decoder acts by path', async () => {
  const decoder = new ApiPathDevice({ kind: 'decoder', sn: 'A442250318007', name: 'Wall' });
  const { send } = await hubWith(decoder, decoder.sn);
  expect(await send('api/reboot', { method: 'POST', body: {} })).toEqual({ status: 0 });
  expect(decoder.calls).toContain('reboot');
  expect(await send('api/record/start', { method: 'POST' })).toMatchObject({ result: 9, status: 9 });
});

test('a Director records and sends its quick stream by path', async () => {
  const device = new DirectorDevice();
  const { send, shown } = await hubWith(device, undefined, {
    ...{ driver: 'v1', name: 'Stage', 'osc-port': await device.listen() },
  });
  const post = (path: string) => send(`mwapi/${path}`, { method: 'POST' });
  expect(await post('record/start-record')).toEqual({ status: 0 });
  await until(async () => (await shown()).facts.recording === true);
  expect(await post('record/stop-record')).toEqual({ status: 0 });
  expect(await post('live/stop-quick-stream')).toEqual({ status: 0 });
  await until(async () => (await shown()).facts.living === false);
  expect(await post('live/start-quick-stream')).toEqual({ status: 0 });
  await until(async () => (await shown()).facts.living === true);
  expect(await post('system/set-device-name')).toMatchObject({ status: 7 });
});

test('the paths take POST requests with JSON under each prefix', async () => {
  const device = ultraEncode();
  const { send, raw, shown } = await hubWith(device, device.sn);
  const post = (call: string, body?: object) => send(call, { method: 'POST', body });
  expect(await post('mwapi/record/start')).toEqual({ status: 0 });
  await until(async () => (await shown()).facts.recording === true);
  expect(await post('usapi/record/stop-record', {})).toEqual({ result: 0 });
  expect(await post('usapi/live/start')).toEqual({ result: 0 });
  await until(async () => (await shown()).facts.living === true);
  expect(await post('api/live/stop')).toEqual({ status: 0 });
  expect(await post('mwapi/V2.0/system/set-device-name', { name: 'Bus' })).toEqual({ status: 0 });
  expect(device.name).toBe('Bus');
  expect(await post('mwapi/system/set-device-name', { name: ' x' })).toMatchObject({ status: 7 });
  expect(await post('mwapi/live/start-quick-stream')).toMatchObject({ result: 9, status: 9 });
  expect((await raw('usapi/record/start')).status).toBe(405);
  expect((await raw('usapi?method=start-rec', { method: 'HEAD' })).status).toBe(405);
  expect(device.calls.filter((call) => call === 'start-rec')).toHaveLength(1);
});

test('what a device refuses has its own code', async () => {
  const device = ultraEncode();
  const { send, log } = await hubWith(device, device.sn);
  device.faults = { codes: { 'start-live': -53 } };
  expect(await send('usapi?method=start-live')).toMatchObject({ result: -53 });
  device.faults = { codes: { 'start-rec': 37 } };
  // Not that of the hub for a session that has ended: the program would sign in again without end.
  expect((await send('usapi?method=start-rec')).result).not.toBe(37);
  expect((await log()).filter((entry: string) => entry.startsWith('device.live-start'))).not.toContain(
    'device.live-start 0',
  );
});

test('users without the permission to control the device act on nothing', async () => {
  const device = ultraEncode();
  const { send, post, admin, addUser } = await hubWith(device, device.sn);
  const viewer = await addUser('viewer', groupTypes.viewer);
  expect(await send('usapi?method=reboot', { as: viewer })).toMatchObject({ result: 31 });
  expect(await send('mwapi/record/start', { as: viewer, method: 'POST' })).toMatchObject({ status: 31 });
  const add = { name: 'for acts', permission: bitOf('deviceControl'), password: adminPassword };
  const { token } = await post('/api/token/add', add, admin);
  const headers = { authorization: `Bearer ${token}` };
  expect(await send('usapi?method=start-rec', { as: 'none', headers })).toEqual({ result: 0 });
  expect(device.calls).not.toContain('reboot');
});

describe('a GET request that acts', () => {
  const browser = 'Mozilla/5.0 (X11; Linux x86_64)';
  const cases: [string, Record<string, string>, boolean][] = [
    ['from a program', {}, true],
    ['from a page of the hub over HTTPS', { 'user-agent': browser, 'sec-fetch-site': 'same-origin' }, true],
    ['from a page of the hub over HTTP', { 'user-agent': browser, referer: 'http://hub/#/devices' }, true],
    ['from a page at another port of the hub over HTTP', { 'user-agent': browser, referer: 'http://hub:8071/' }, false],
    ['from a page over HTTP that sends no referrer', { 'user-agent': browser }, false],
    ['from a page of another site', { 'user-agent': browser, 'sec-fetch-site': 'cross-site' }, false],
    ['from a page at another port over HTTPS', { 'user-agent': browser, 'sec-fetch-site': 'same-site' }, false],
  ];
  test.each(cases)('%s', async (_, headers, isAllowed) => {
    const device = ultraEncode();
    const { raw } = await hubWith(device, device.sn);
    expect((await raw('usapi?method=start-rec', { headers })).status).toBe(isAllowed ? 200 : 403);
    expect(device.calls.includes('start-rec')).toBe(isAllowed);
  });
});
