import { afterEach, beforeAll, expect, test } from 'bun:test';
import type { SimulatedDevice } from '../../tests/sim/devices/device.ts';
import { MwapiDevice } from '../../tests/sim/devices/mwapi.ts';
import { unaborted } from '../../tests/sim/devices/rig.ts';
import { serveDevice } from '../../tests/sim/devices/serve.ts';
import { UsapiDevice } from '../../tests/sim/devices/usapi.ts';
import { type DeviceCertificate, makeDeviceCertificate } from '../../tests/support/device-certificates.ts';
import { privateAllowed } from '../../tests/support/outgoing.ts';
import { until } from '../../tests/support/until.ts';
import { createLog } from '../lib/log.ts';
import { createDevicePorts } from './device-ports.ts';

const ports = createDevicePorts({
  outgoing: () => privateAllowed,
  agentSocket: () => undefined,
  agentPort: () => 'offline',
  log: createLog('error', () => {}),
});
const password = { user: 'Admin', password: 'Admin' };
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});
let certificate: DeviceCertificate;
beforeAll(() => {
  certificate = makeDeviceCertificate('device');
});

const encoder = () => new UsapiDevice({ kind: 'encode', sn: 'B313240506011', name: 'Hall' });
const decoder = () => new MwapiDevice({ kind: 'decoder', sn: 'A421240212014', name: 'Lobby' });

/** Returns host and port. */
function serve(device: SimulatedDevice, tls?: DeviceCertificate): string {
  const { address, close } = serveDevice(device, tls);
  closing.push(close);
  return `${address.host}:${address.port}`;
}

test('a device at an address without a scheme is found over HTTP', async () => {
  const address = serve(encoder());
  expect(await ports.identify(address, password, undefined)).toEqual({
    api: 'usapi',
    address: `http://${address}`,
    identity: expect.objectContaining({ sn: 'B313240506011', name: 'Hall' }),
  });
});

test('a device that speaks only HTTPS is found there, once its certificate is accepted', async () => {
  const address = serve(decoder(), certificate);
  const unknown = ports.identify(address, password, undefined);
  await expect(unknown).rejects.toMatchObject({ word: 'certificateUnknown', fingerprint: certificate.fingerprint });
  const found = await ports.identify(address, password, certificate.fingerprint);
  expect(found).toMatchObject({ api: 'mwapi', address: `https://${address}`, pin: certificate.fingerprint });
  const way = { sn: 'A421240212014', link: 'direct', address: found.address!, pin: found.pin! } as const;
  const request = { path: '/mwapi?method=ping', timeoutMs: 5000, maxBytes: 1000 };
  expect(await ports.transportTo(way).request(request, unaborted)).toMatchObject({ status: 200 });
});

test('with a scheme, only that is tried', async () => {
  const address = serve(decoder(), certificate);
  await expect(ports.identify(`http://${address}`, password, undefined)).rejects.toMatchObject({ word: 'notADevice' });
  const found = await ports.identify(`https://${address}`, password, certificate.fingerprint);
  expect(found).toMatchObject({ address: `https://${address}` });
});

test('where nothing answers, the device is unreachable, and a wrong password is one', async () => {
  await expect(ports.identify('127.0.0.1:1', password, undefined)).rejects.toMatchObject({ word: 'unreachable' });
  const device = encoder();
  const wrong = ports.identify(serve(device), { user: 'Admin', password: 'x' }, undefined);
  await expect(wrong).rejects.toMatchObject({ word: 'wrongPassword' });
  expect(device.calls.filter((method) => method === 'login')).toHaveLength(1);
});

test('the fleet asks devices with the drivers', async () => {
  const fleet = await ports.loadFleet();
  closing.push(() => fleet.close());
  const devices = [encoder(), decoder()];
  fleet.apply(
    devices.map((device, index) => ({
      ...{ sn: device.sn, api: index === 0 ? ('usapi' as const) : ('mwapi' as const), credentials: password },
      transport: ports.transportTo({ sn: device.sn, link: 'direct', address: serve(device), pin: '' }),
    })),
  );
  await until(() => devices.every(({ sn }) => fleet.report(sn)?.connection === 'online'));
  expect(fleet.report('A421240212014')?.facts?.source?.connected).toBe(true);
});

test('a device whose agent is not connected is down with its link', async () => {
  const transport = ports.transportTo({ sn: 'X', link: 'agent', address: '', pin: '' });
  const asked = transport.request({ path: '/', timeoutMs: 100, maxBytes: 100 }, unaborted);
  await expect(asked).rejects.toMatchObject({ word: 'linkDown' });
});
