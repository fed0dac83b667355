import { describe, expect, test } from 'bun:test';
import { MwapiPathDevice } from '../../../tests/sim/devices/mwapi-path.ts';
import { quickTimes, simulatedDevices, unaborted } from '../../../tests/sim/devices/rig.ts';
import { DeviceFacts } from '../../contract/device-facts.ts';
import type { Transport } from '../driver.ts';
import { createDriverRegistry, shippedDrivers } from '../registry.ts';
import { createMwapiPathDriver } from './driver.ts';

const driver = createMwapiPathDriver({ ...quickTimes, answerMs: 500, actMs: 200 });
const serve = simulatedDevices();
const password = { user: 'Admin', password: 'Admin' };

test.each([
  ['the present paths', false],
  ['the paths of older firmware', true],
])('a device with %s is recognized and identified', async (_, isOld) => {
  const { device, transport } = serve(new MwapiPathDevice());
  device.isOld = isOld;
  const registry = createDriverRegistry(shippedDrivers);
  expect(await registry.identify(transport, password, unaborted)).toEqual({
    sn: 'A506230822005',
    name: 'Room Fusion',
    api: 'mwapiPath',
    'product-id': 1286,
    model: 'USB Fusion',
    'hardware-ver': 'A',
    'firmware-ver': '2.6.12',
  });
});

test('the facts have inputs, network and recording; the paths are found out once', async () => {
  const { device, transport } = serve(new MwapiPathDevice());
  device.isOld = true;
  const session = driver.open(transport, password);
  const facts = await session.poll(unaborted);
  expect(DeviceFacts.safeParse(facts).error).toBeUndefined();
  expect(facts).toMatchObject({
    ethernet: { address: '10.20.30.99', up: true, 'link-mbps': 1000, 'tx-kbps': 128_412 },
    usb: { address: '192.168.66.1', up: false },
    ...{ cpu: 31, memory: 52.7, temperature: 57.3, 'uptime-s': 5122 },
    signal: { state: 'present', width: 1920, height: 1080, fps: 60 },
    ...{ recording: true, warnings: [], tasks: [] },
  });
  expect([facts.disks, facts.streams]).toEqual([[], []]);
  device.calls.length = 0;
  await session.poll(unaborted);
  expect(device.calls.filter((path) => path.includes('V2.0'))).toEqual([]);
});

test('any input with a signal is a signal, and none is a warning', async () => {
  const { device, transport } = serve(new MwapiPathDevice());
  const session = driver.open(transport, password);
  device.silentInputs = ['input-hdmi-1-state', 'input-hdmi-2-state'];
  expect(await session.poll(unaborted)).toMatchObject({ signal: { width: 1280, fps: 30 }, warnings: [] });
  device.silentInputs = ['input-hdmi-1-state', 'input-hdmi-2-state', 'input-web-camera-state'];
  device.isRecording = false;
  expect(await session.poll(unaborted)).toMatchObject({
    ...{ signal: { state: 'none' }, warnings: ['noSignal'], recording: false },
  });
});

test('a firmware update is a task, and what a firmware lacks is left out', async () => {
  const { device, transport } = serve(new MwapiPathDevice());
  const session = driver.open(transport, password);
  device.isUpdating = true;
  expect(await session.poll(unaborted)).toMatchObject({ tasks: ['updating'], upgrade: { percent: 63.5 } });
  device.lacks = ['state', 'get-device-status'];
  const facts = await session.poll(unaborted);
  expect([facts.recording, facts.upgrade, facts.tasks]).toEqual([undefined, undefined, []]);
});

test('a device that asks for a login is recognized, and says that it cannot be read', async () => {
  const { device, transport } = serve(new MwapiPathDevice());
  device.needsLogin = true;
  expect(await driver.recognizes(transport, unaborted)).toBe(true);
  const protectedServer: Transport = {
    request: async () => ({ status: 401, headers: new Headers(), body: new Uint8Array() }),
  };
  expect(await driver.recognizes(protectedServer, unaborted)).toBe(false);
  const reading = driver.open(transport, password).poll(unaborted);
  await expect(reading).rejects.toMatchObject({ word: 'noPermission' });
});

describe.each([
  ['the present paths', false, '/mwapi/V2.0'],
  ['the paths of older firmware', true, '/mwapi'],
])('acts with %s', (_, isOld, prefix) => {
  function start() {
    const { device, transport } = serve(new MwapiPathDevice());
    device.isOld = isOld;
    const acts = () => device.calls.filter((path) => /\/(system|record|live)\/|reboot$/.test(path));
    return { device, session: driver.open(transport, password), acts };
  }

  test('a rename, recording and live are carried out at their paths', async () => {
    const { device, session, acts } = start();
    expect(await session.rename?.('Stage 节目', unaborted)).toEqual({ silentMs: 0 });
    await session.setRecording?.(false, unaborted);
    await session.setLive?.(true, unaborted);
    expect([device.name, device.isRecording, device.isLive]).toEqual(['Stage 节目', false, true]);
    const paths = ['system/set-device-name', 'record/stop', 'live/start'];
    expect(acts()).toEqual(paths.map((path) => `${prefix}/${path}`));
  });

  test('what is not answered is read back, and never repeated; what cannot be read back is a problem', async () => {
    const { device, session, acts } = start();
    device.unanswered = ['record/stop', 'system/set-device-name', 'live/start', 'reboot'];
    await session.setRecording?.(false, unaborted);
    await session.rename?.('Stage', unaborted);
    await expect(session.setLive?.(true, unaborted)).rejects.toMatchObject({ word: 'timeout' });
    expect(await session.reboot?.(unaborted)).toEqual({ silentMs: quickTimes.rebootMs });
    expect(acts()).toHaveLength(4);
  });

  test('an act that the firmware lacks is unsupported, and one that needs a login has no permission', async () => {
    const { device, session } = start();
    await session.poll(unaborted);
    device.lacks = ['record/start'];
    await expect(session.setRecording?.(true, unaborted)).rejects.toMatchObject({ word: 'unsupported' });
    device.needsLogin = true;
    await expect(session.setLive?.(true, unaborted)).rejects.toMatchObject({ word: 'noPermission' });
  });
});
