import { describe, expect, test } from 'bun:test';
import { OnvifDevice, type OnvifOptions } from '../../../tests/sim/devices/onvif.ts';
import { quickTimes, simulatedDevices, unaborted } from '../../../tests/sim/devices/rig.ts';
import { DeviceFacts } from '../../contract/device-facts.ts';
import type { Transport } from '../driver.ts';
import { digestHeader } from '../http-digest.ts';
import { DeviceProblem } from '../problem.ts';
import { createDriverRegistry, shippedDrivers } from '../registry.ts';
import { createOnvifDriver } from './driver.ts';
import { parseSoap } from './soap.ts';

const driver = createOnvifDriver(quickTimes);
const password = { user: 'Admin', password: 'Admin' };
const open = (transport: Transport, credentials = password) => driver.open(transport, credentials);
const serve = simulatedDevices();
const simulate = (options: Partial<OnvifOptions> = {}) => serve(new OnvifDevice({ sn: 'EX-0042', ...options }));
const hourMs = 3_600_000;

async function problemOf(work: Promise<unknown>): Promise<DeviceProblem> {
  const error = await work.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(DeviceProblem);
  return error as DeviceProblem;
}

test('a camera is recognized without a login, and identified with one', async () => {
  const { device, transport } = simulate();
  const registry = createDriverRegistry(shippedDrivers);
  expect(await registry.recognize(transport, unaborted)).toBe('onvif');
  expect(await registry.identify(transport, password, unaborted)).toEqual({
    sn: 'EX-0042',
    name: 'Example Dome 4 & Co',
    api: 'onvif',
    'product-id': 0,
    model: 'Example Dome 4 & Co',
    'hardware-ver': '1A3',
    'firmware-ver': '7.10.2',
  });
  expect(device.calls.filter((name) => name === 'GetDeviceInformation')).toHaveLength(1);
});

test('the facts have network, encodings and streams, but no secrets of their addresses', async () => {
  const facts = await open(simulate().transport).poll(unaborted);
  expect(DeviceFacts.safeParse(facts).error).toBeUndefined();
  expect(facts).toMatchObject({
    ethernet: { address: '192.0.2.7', mask: '255.255.252.0', mac: '02:00:5e:10:20:30', dhcp: false },
    main: { codec: 'H264', width: 1920, height: 1080, fps: 25, kbps: 4096 },
    sub: { codec: 'JPEG', width: 640, height: 360, fps: 10, kbps: 512 },
    streams: [
      { id: 'main&1', name: 'Main', protocol: 'RTSP', address: 'rtsp://192.0.2.7:554/main', state: 'running' },
      { id: 'sub', name: 'Sub', address: 'rtsp://192.0.2.7:554/sub' },
    ],
  });
  expect(JSON.stringify(facts)).not.toContain('secret');
  expect([facts.cpu, facts.signal, facts.recording, facts['uptime-s']]).toEqual(Array(4).fill(undefined));
});

test('network and streams are read rarely, and what a camera lacks is left out', async () => {
  const { device, transport } = simulate();
  device.lacks = ['GetNetworkInterfaces', 'GetStreamUri'];
  const session = createOnvifDriver({ ...quickTimes, settingsMs: 60_000 }).open(transport, password);
  for (let poll = 0; poll < 3; poll++) expect(await session.poll(unaborted)).toMatchObject({ streams: [] });
  expect((await session.poll(unaborted)).ethernet).toBeUndefined();
  expect(device.calls.filter((name) => name === 'GetProfiles')).toHaveLength(1);
});

test('the picture is read with HTTP Digest, at the address of the device', async () => {
  const { device, transport } = simulate();
  expect(await open(transport).stream!('picture', unaborted)).toMatchObject({
    ...{ protocol: 'rtsp', url: 'rtsp://192.0.2.7:554/sub?user=x&p=secret', tcpFirst: true },
    ...{ username: 'Admin', password: 'Admin' },
  });
  expect(await open(transport).stream!('input', unaborted)).toMatchObject({ url: expect.stringContaining('/main') });
  const picture = await open(transport).snapshot!(unaborted);
  expect([...picture]).toEqual([0xff, 0xd8, 0xff, 0xd9]);
  expect(device.calls.slice(-2)).toEqual(['/snap.jpg', '/snap.jpg']);
});

test('the password is not sent in the clear, and a camera without a picture says so', async () => {
  const clear = simulate({ isBasic: true });
  expect(await problemOf(open(clear.transport).snapshot!(unaborted))).toMatchObject({ word: 'unsupported' });
  expect(clear.device.calls.filter((name) => name === '/snap.jpg')).toHaveLength(1);
  const blind = simulate();
  blind.device.lacks = ['GetSnapshotUri'];
  expect(await problemOf(open(blind.transport).snapshot!(unaborted))).toMatchObject({ word: 'unsupported' });
});

describe('the login', () => {
  test.each([hourMs, -hourMs])('works with a camera whose clock is %d ms ahead', async (driftMs) => {
    expect((await open(simulate({ driftMs }).transport).identify(unaborted)).sn).toBe('EX-0042');
  });

  test('works again after the clock of the camera was set', async () => {
    const { device, transport } = simulate();
    const session = open(transport);
    await session.identify(unaborted);
    device.driftMs = hourMs;
    expect((await session.identify(unaborted)).sn).toBe('EX-0042');
  });

  test('with a wrong password is final: the camera is not asked again', async () => {
    const { device, transport } = simulate();
    const session = open(transport, { user: 'Admin', password: 'wrong' });
    expect(await problemOf(session.poll(unaborted))).toMatchObject({ word: 'wrongPassword' });
    const asked = device.calls.length;
    expect(await problemOf(session.poll(unaborted))).toMatchObject({ word: 'wrongPassword' });
    expect(await problemOf(session.snapshot!(unaborted))).toMatchObject({ word: 'wrongPassword' });
    expect(device.calls).toHaveLength(asked);
  });
});

test('a restart silences the camera; a refused one is a problem', async () => {
  const { device, transport } = simulate();
  device.lacks = ['SystemReboot'];
  expect(await problemOf(open(transport).reboot!(unaborted))).toMatchObject({ word: 'unsupported' });
  device.lacks = [];
  expect(await open(transport).reboot!(unaborted)).toEqual({ silentMs: quickTimes.rebootMs });
  expect(device.isSilent).toBe(true);
});

test.each<[string, () => Response]>([
  ['a page', () => new Response('<html><body>no</body></html>')],
  ['half a message', () => new Response('<s:Envelope xmlns:s="a"><s:Body><s:Fault>')],
  ['JSON', () => Response.json({ status: 0 })],
  ['HTTP status 500', () => new Response(null, { status: 500 })],
])('%s as an answer means another kind of server, and a problem of a known camera', async (_, broken) => {
  const { device, transport } = simulate();
  device.broken = broken;
  expect(await driver.recognizes(transport, unaborted)).toBe(false);
  expect(await problemOf(open(transport).poll(unaborted))).toMatchObject({ word: 'invalidAnswer' });
});

describe('answers of a hostile camera', () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  const wrapped = (content: string) => bytes(`<e:Envelope xmlns:e="x"><e:Body>${content}</e:Body></e:Envelope>`);

  test.each([
    ['nested elements', wrapped('<a>'.repeat(60_000))],
    ['closed nested elements', wrapped(`${'<a>'.repeat(30_000)}${'</a>'.repeat(30_000)}`)],
    ['many names', wrapped('<a xmlns:b="c"/>'.repeat(16_000))],
    ['an entity of its own', bytes('<!DOCTYPE e [<!ENTITY x "y">]><Envelope><Body><A>&x;</A></Body></Envelope>')],
  ])('with %s are read or refused quickly', (_, answer) => {
    const began = performance.now();
    const soap = parseSoap(answer);
    expect(performance.now() - began).toBeLessThan(2000);
    expect(soap?.text('A')).toBeUndefined();
  });
});

test('HTTP Digest has the answer of its RFC, and no other login is used', () => {
  const offers = 'Digest realm="http-auth@example.org", algorithm=SHA-256, nonce="7ypf", opaque="FQhe"';
  const header = digestHeader(offers, '/dir/index.html', { user: 'Mufasa', password: 'Circle of Life' });
  expect(header).toContain('algorithm=SHA-256');
  expect(header).toContain('opaque="FQhe"');
  const plain = 'Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093"';
  expect(digestHeader(plain, '/dir/index.html', { user: 'Mufasa', password: 'Circle Of Life' })).toContain(
    'response="670fd8c2df070c60b045671b8b24ff02"',
  );
  expect(digestHeader('Basic realm="x"', '/', password)).toBeUndefined();
});
