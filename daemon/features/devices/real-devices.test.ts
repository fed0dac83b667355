/** The noun with fleet, drivers and transports: simulated devices that answer over HTTP and HTTPS. */
import { afterEach, expect, test } from 'bun:test';
import { composedHub } from '../../../tests/fixtures/composed-hub.ts';
import { ApiPathDevice } from '../../../tests/sim/devices/api-path.ts';
import { DirectorDevice } from '../../../tests/sim/devices/director.ts';
import { MwapiDevice } from '../../../tests/sim/devices/mwapi.ts';
import { OnvifDevice } from '../../../tests/sim/devices/onvif.ts';
import { type ServedDevice, type Simulator, serveDevice } from '../../../tests/sim/devices/serve.ts';
import { UsapiDevice } from '../../../tests/sim/devices/usapi.ts';
import { makeDeviceCertificate } from '../../../tests/support/device-certificates.ts';
import { until } from '../../../tests/support/until.ts';
import { createDevicePorts } from '../../devices/device-ports.ts';
import { timing } from '../../timing.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function setup() {
  const env = { SIGNALBOX_FEATURES: 'devices', SIGNALBOX_HOSTS: 'hub.example' };
  const times = { ...timing.fleet, unwatchedMs: 100, againMs: 50, offlineMs: 50, longestPauseMs: 200 };
  const hub = await composedHub({ devicePorts: (options) => createDevicePorts(options, times), env });
  hub.hub.start();
  closing.push(hub.remove, hub.hub.close);
  const admin = await hub.signIn('Admin');
  const post = (path: string, body: object) => hub.post(`/api/${path}`, body, admin);
  const query = async (sn: string) => (await hub.json(`/api/device/query?sn=${sn}`, { as: admin })).dev;
  return { ...hub, admin, post, query };
}
function served(device: Simulator, certificate?: ReturnType<typeof makeDeviceCertificate>) {
  const one: ServedDevice = serveDevice(device, certificate);
  closing.push(one.close);
  return { ...one, at: `127.0.0.1:${one.address.port}` };
}
const login = { user: 'Admin', password: 'Admin' };

test('an encoder is added, reports, and sends to a channel when it is connected with it', async () => {
  const { post, query, lines } = await setup();
  const device = new UsapiDevice({ kind: 'encode', sn: 'B313231201201', name: 'Truck' });
  const { at, close } = served(device);
  expect(await post('device/add', { address: at, user: 'Admin', password: 'wrong' })).toMatchObject({ result: 36 });
  expect(await post('device/add', { address: at, ...login })).toMatchObject({
    ...{ result: 0, list: [{ address: at, sn: 'B313231201201', result: 0 }] },
  });
  await until(async () => (await query('B313231201201')).connection === 'online');
  expect(await query('B313231201201')).toMatchObject({
    ...{ name: 'Truck', module: 2, 'product-id': 787, address: `http://${at}`, 'hardware-ver': 'B', dir: 256 },
    facts: { identity: { api: 'usapi' } },
  });
  const { id: channel } = await post('channel/add', { name: 'Studio' });
  expect(await post('device/connect', { sn: device.sn, channel })).toEqual({ result: 0 });
  const { 'push-key': key } = await query(device.sn);
  expect(device.servers.find(({ name }) => name === 'Signalbox')).toMatchObject({ key, 'is-use': 1 });
  await until(async () => (await query(device.sn)).facts.living === true);
  await close();
  await until(async () => (await query(device.sn)).connection === 'offline');
  expect(await query(device.sn)).toMatchObject({ problem: 'unreachable', 'online-date': 0 });
  await until(() => lines.filter((line) => line.includes('a device is')).length === 2);
  expect(lines.join('\n')).not.toContain('wrong');
});

test('a Director reports over OSC, and one that only answers over HTTP warns that its state is unknown', async () => {
  const { post, query } = await setup();
  const device = new DirectorDevice();
  const { at } = served(device);
  const port = await device.listen();
  device.isRecording = true;
  const { list } = await post('device/add', { driver: 'v1', address: at, 'osc-port': port, name: 'Stage' });
  const [{ sn, result }] = list;
  expect(result).toBe(0);
  await until(async () => (await query(sn)).connection === 'online');
  expect(await query(sn)).toMatchObject({
    ...{ name: 'Stage', 'dev-warns': 0, status: { 'cur-status': 6 } },
    facts: { recording: true, living: true, scene: 'HDMI 1' },
  });
  expect(await post('device/set', { sn, 'osc-port': 9 })).toMatchObject({ result: 0 });
  await until(async () => (await query(sn))['dev-warns'] === 64);
  expect(await query(sn)).toMatchObject({ connection: 'online', facts: { warnings: ['stateUnknown'] } });
});

test('a decoder plays a channel', async () => {
  const { post, query } = await setup();
  const device = new MwapiDevice({ kind: 'decoder', sn: 'A410191028022', name: 'Screen' });
  const { at } = served(device);
  await post('device/add', { address: at, ...login });
  await until(async () => (await query(device.sn)).connection === 'online');
  const { id: channel } = await post('channel/add', { name: 'Studio', config: { 'play-key': 'to-watch' } });
  expect(await post('device/connect', { sn: device.sn, channel })).toEqual({ result: 0 });
  const preset = device.channels.find(({ name }) => name === 'Signalbox');
  expect(preset?.url).toContain('rtmp://hub.example:1935/live/to-watch');
});

test('an IP decoder plays a channel', async () => {
  const { post, query } = await setup();
  const device = new ApiPathDevice({ kind: 'decoder', sn: 'A442250318007', name: 'Wall' });
  const { at } = served(device);
  await post('device/add', { address: at, ...login });
  await until(async () => (await query(device.sn)).connection === 'online');
  const { id: channel } = await post('channel/add', { name: 'Studio', config: { 'play-key': 'to-watch' } });
  expect(await post('device/connect', { sn: device.sn, channel })).toEqual({ result: 0 });
  const [source] = device.sources;
  expect(source?.data.url).toBe('rtmp://hub.example:1935/live/to-watch');
  await until(async () => (await query(device.sn)).facts.source?.name === source?.name);
});

test('a camera of another make is added, reports its streams, and stays online after its clock was set', async () => {
  const { post, query } = await setup();
  const device = new OnvifDevice({ sn: 'EX-0042' });
  const { at } = served(device);
  expect(await post('device/add', { address: at, user: 'Admin', password: 'wrong' })).toMatchObject({ result: 36 });
  expect(await post('device/add', { address: at, ...login })).toMatchObject({ result: 0, list: [{ sn: 'EX-0042' }] });
  await until(async () => (await query(device.sn)).connection === 'online');
  expect(await query(device.sn)).toMatchObject({
    ...{ name: 'Example Dome 4 & Co', module: 4278190080, 'product-id': 0 },
    facts: { identity: { api: 'onvif' }, streams: [{ name: 'Main', protocol: 'RTSP' }, { name: 'Sub' }] },
  });
  device.driftMs = 3_600_000;
  const asked = () => device.calls.filter((name) => name === 'GetDeviceInformation').length;
  const before = asked();
  await until(() => asked() > before + 3);
  expect((await query(device.sn)).connection).toBe('online');
});

test('a device with HTTPS only is found there; its certificate is accepted by its fingerprint, and no other', async () => {
  const { post, query } = await setup();
  const certificate = makeDeviceCertificate('one');
  const device = new UsapiDevice({ kind: 'encode', sn: 'B313231201202', name: 'Van' });
  const { at, showCertificate } = served(device, certificate);
  const pin = certificate.fingerprint;
  expect(await post('device/add', { address: at, ...login })).toMatchObject({
    ...{ result: 40, params: { problem: 'certificateUnknown', pin } },
  });
  expect(await post('device/add', { address: at, pin: pin.toUpperCase(), ...login })).toMatchObject({ result: 0 });
  await until(async () => (await query(device.sn)).connection === 'online');
  expect(await query(device.sn)).toMatchObject({ address: `https://${at}`, pin });
  await showCertificate(makeDeviceCertificate('two'));
  await until(async () => (await query(device.sn)).problem === 'certificateChanged');
});

test('other servers, and the hub itself, are refused', async () => {
  const { post } = await setup();
  const other = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('hello') });
  closing.push(() => other.stop(true));
  expect(await post('device/add', { address: `127.0.0.1:${other.port}`, ...login })).toMatchObject({
    ...{ result: 24, params: { problem: 'notADevice' } },
  });
  expect(await post('device/add', { address: '127.0.0.1:8070', ...login })).toMatchObject({
    ...{ result: 10007, params: { problem: 'unreachable' } },
  });
});
