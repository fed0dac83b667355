import { expect, test } from 'bun:test';
import { ApiPathDevice } from '../../tests/sim/devices/api-path.ts';
import { MwapiDevice } from '../../tests/sim/devices/mwapi.ts';
import { simulatedDevices, transportTo, unaborted } from '../../tests/sim/devices/rig.ts';
import { UsapiDevice } from '../../tests/sim/devices/usapi.ts';
import { actsOfApi, deviceActs } from '../contract/device-actions.ts';
import { connectableAs, type DeviceApi, type Family, isPulled } from '../contract/device-catalog.ts';
import type { Transport } from './driver.ts';
import { DeviceProblem } from './problem.ts';
import { createDriverRegistry, shippedDrivers } from './registry.ts';
import { smallestDriver } from './smallest-driver-for-test.ts';

const serve = simulatedDevices();
const registry = createDriverRegistry(shippedDrivers);
const password = { user: 'Admin', password: 'Admin' };

const streamer = () => serve(new UsapiDevice({ kind: 'stream', sn: 'A302210611019', name: 'Chapel' }));
const decoder = () => serve(new MwapiDevice({ kind: 'decoder', sn: 'A421240212014', name: 'Lobby' }));
const ipDecoder = () => serve(new ApiPathDevice({ kind: 'decoder', sn: 'A442250318007', name: 'Room 12' }));
const audio = () => serve(new ApiPathDevice({ kind: 'audio', sn: 'A424250318011', name: 'Amp room' }));

/** What a web server answers that is not a device. */
const answering = (answer: () => Response): Transport => ({
  async request() {
    const { status, headers, body } = answer();
    return { status, headers, body: await new Response(body).bytes() };
  },
});

test.each([
  ['usapi', streamer, 'A302210611019'],
  ['mwapi', decoder, 'A421240212014'],
  ['apiPath', ipDecoder, 'A442250318007'],
  ['apiPath', audio, 'A424250318011'],
] as const)('a device of the API %s is found without a login, and identified with one', async (api, start, sn) => {
  const { device, transport } = start();
  expect(await registry.recognize(transport, unaborted)).toBe(api);
  expect(device.calls.filter((method) => method.includes('login'))).toEqual([]);
  expect(await registry.identify(transport, password, unaborted)).toMatchObject({ api, sn });
  // Of the API `apiPath`, the call for it is not published.
  expect(device.calls.includes('logout')).toBe(api !== 'apiPath');
});

/** For the driver of devices that state nothing over HTTP. */
const described = { sn: 'V1', name: '', status: () => Promise.resolve(new Map()) };

test('the actions that the hub offers are those that the drivers can do', async () => {
  for (const [name, load] of Object.entries(shippedDrivers)) {
    const api = name as DeviceApi;
    if (api === 'stream') continue;
    const session = (await load()).open(streamer().transport, password, described);
    const { rename, reboot, setRecording, setLive, setQuickStream } = session;
    const has = { rename, reboot, record: setRecording, live: setLive, quick: setQuickStream };
    const can = deviceActs.filter((act) => has[act] !== undefined);
    expect([api, actsOfApi[api]]).toEqual([api, can]);
  }
});

test('what the console offers for channels is what the drivers can do', async () => {
  const of = (family: Family, productId: number) => ({ family, productId, model: '' });
  const products: Readonly<Partial<Record<DeviceApi, ReturnType<typeof of>>>> = {
    usapi: of('ultraStream', 770),
    mwapi: of('proConvertDecoder', 1057),
    apiPath: of('proConvertDecoder', 1090),
  };
  for (const [name, load] of Object.entries(shippedDrivers)) {
    const api = name as DeviceApi;
    // The hub itself opens their streams.
    if (isPulled(api)) continue;
    const session = (await load()).open(streamer().transport, password, described);
    const offered = connectableAs({ ...(products[api] ?? of('ultraEncode', 787)), api });
    const can = [session.sendTo !== undefined, session.play !== undefined];
    expect([api, offered === 'input', offered === 'output']).toEqual([api, ...can]);
  }
});

test('a wrong password is a problem of the device that was found', async () => {
  const { device, transport } = decoder();
  const wrong = registry.identify(transport, { user: 'Admin', password: 'x' }, unaborted);
  await expect(wrong).rejects.toMatchObject({ word: 'wrongPassword' });
  expect(device.calls.filter((method) => method === 'login')).toHaveLength(1);
});

test.each([
  ['a page', () => new Response('<html></html>')],
  ['not found', () => new Response('no', { status: 404 })],
  ['a redirect', () => new Response(null, { status: 302, headers: { location: '/' } })],
  ['other JSON', () => Response.json({ ok: true })],
  ['a list', () => Response.json([0])],
])('what answers with %s is not a device', async (_, answer) => {
  await expect(registry.identify(answering(answer), password, unaborted)).rejects.toMatchObject({ word: 'notADevice' });
});

test('a server that speaks no HTTP is not a device, and one that does not answer is unreachable', async () => {
  const garbled: Transport = { request: () => Promise.reject(new DeviceProblem('invalidAnswer', 'not HTTP')) };
  await expect(registry.recognize(garbled, unaborted)).rejects.toMatchObject({ word: 'notADevice' });
  const closed = transportTo({ protocol: 'http', host: '127.0.0.1', port: 1 });
  await expect(registry.recognize(closed, unaborted)).rejects.toMatchObject({ word: 'unreachable' });
});

test('drivers are loaded once, when they are needed', async () => {
  let loads = 0;
  const counted = createDriverRegistry({
    stream: async () => {
      loads += 1;
      return smallestDriver;
    },
  });
  expect(loads).toBe(0);
  const state = { serial: 'S1', name: 'Camera', signal: 0, cpu: '12' };
  const transport = answering(() => Response.json(state));
  expect(await counted.identify(transport, password, unaborted)).toMatchObject({ sn: 'S1', api: 'stream' });
  expect(await (await counted.driver('stream')).open(transport, password).poll(unaborted)).toMatchObject({
    cpu: 12,
    signal: { state: 'none' },
    warnings: ['noSignal'],
  });
  expect(loads).toBe(1);
  await expect(counted.driver('onvif')).rejects.toMatchObject({ word: 'unsupported' });
});
