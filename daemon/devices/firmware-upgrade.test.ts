/** What the drivers have in common: each family takes a file, writes it, and runs it after a restart. */
import { expect, test } from 'bun:test';
import { ApiPathDevice } from '../../tests/sim/devices/api-path.ts';
import { factoryCredentials } from '../../tests/sim/devices/device.ts';
import { type FirmwareFaults, firmwareImage, type SimulatedFirmware } from '../../tests/sim/devices/firmware.ts';
import { MwapiDevice } from '../../tests/sim/devices/mwapi.ts';
import { MwapiPathDevice } from '../../tests/sim/devices/mwapi-path.ts';
import { quickTimes, simulatedDevices, unaborted } from '../../tests/sim/devices/rig.ts';
import { UsapiDevice } from '../../tests/sim/devices/usapi.ts';
import { until } from '../../tests/support/until.ts';
import { serialParts } from '../contract/device-catalog.ts';
import { createApiPathDriver } from './api-path/driver.ts';
import type { Driver, FirmwareProgress, FirmwareUpgrade } from './driver.ts';
import { createMwapiDriver } from './mwapi/driver.ts';
import { createMwapiPathDriver } from './mwapi-path/driver.ts';
import { createUsapiDriver } from './usapi/driver.ts';

const start = simulatedDevices();
const quick = { rebootMs: 20, writeMs: 40 };
const long = { rebootMs: 20, writeMs: 60_000 };

interface Device {
  readonly sn: string;
  readonly firmware: SimulatedFirmware;
  handle(request: Request): Promise<Response>;
  close(): Promise<void>;
}

interface Family {
  readonly name: string;
  readonly driver: Driver;
  readonly make: (times: typeof quick) => Device;
  readonly codes: { readonly mismatch: number; readonly noSpace: number; readonly writeFailed: number };
}
const ofStatus = { mismatch: 39, noSpace: 29, writeFailed: 15 };
const families: readonly Family[] = [
  {
    name: 'usapi',
    driver: createUsapiDriver(quickTimes),
    make: (times) => new UsapiDevice({ kind: 'encode', sn: 'B313231201201', name: 'Truck', ...times }),
    codes: { mismatch: -34, noSpace: -16, writeFailed: -5 },
  },
  {
    name: 'mwapi',
    driver: createMwapiDriver(quickTimes),
    make: (times) => new MwapiDevice({ kind: 'encoder', sn: 'B401180706020', name: 'Camera', ...times }),
    codes: ofStatus,
  },
  {
    name: 'apiPath',
    driver: createApiPathDriver(quickTimes),
    make: (times) => new ApiPathDevice({ kind: 'decoder', sn: 'A442250318007', name: 'Wall', ...times }),
    codes: ofStatus,
  },
  {
    name: 'apiPath, POST requests only',
    driver: createApiPathDriver(quickTimes),
    make: (times) => new ApiPathDevice({ kind: 'audio', sn: 'A424250318007', name: 'Sound', ...times }),
    codes: ofStatus,
  },
  {
    name: 'mwapiPath',
    driver: createMwapiPathDriver(quickTimes),
    make: (times) => new MwapiPathDevice(times),
    codes: ofStatus,
  },
];

function imageFor({ sn }: Device, more: { hardware?: string; version?: string } = {}) {
  const { productId = 0, hardwareVersion = '' } = serialParts(sn) ?? {};
  const image = firmwareImage({ productId, hardware: hardwareVersion, version: '9.8.7', ...more });
  const read = async function* () {
    for (let at = 0; at < image.length; at += 65_536) yield image.subarray(at, at + 65_536);
  };
  return { name: 'firmware.mwf', bytes: image.length, read };
}

function opened({ driver, make }: Family, faults: FirmwareFaults = {}, times = quick) {
  const { device, transport } = start(make(times));
  device.firmware.faults = faults;
  const session = driver.open(transport, factoryCredentials);
  const firmware = session.firmware as FirmwareUpgrade;
  const progress = () => firmware.progress(unaborted);
  /** The device may be silent meanwhile. */
  const reaches = (isSo: (progress: FirmwareProgress) => boolean) => until(() => progress().then(isSo, () => false));
  return { device, session, firmware, progress, reaches };
}

test.each(families)('$name: a file is taken, written, and runs after a restart', async (family) => {
  const { device, session, firmware, progress, reaches } = opened(family);
  expect(await progress()).toMatchObject({ state: 'idle', version: device.firmware.version });
  await firmware.upload(imageFor(device), unaborted);
  expect(device.firmware).toMatchObject({ uploads: 1, starts: 0 });
  const before = (await progress()).uptimeS ?? 0;
  await firmware.start(unaborted);
  expect(await progress()).toMatchObject({ state: 'writing' });
  if (!firmware.restartsItself) {
    await reaches(({ state }) => state === 'written');
    expect((await progress()).version).not.toBe('9.8.7');
    await session.reboot?.(unaborted);
  }
  await reaches(({ version }) => version === '9.8.7');
  expect(await progress()).toMatchObject({ state: 'idle' });
  expect((await progress()).uptimeS).toBeLessThan(before);
  expect((await session.identify(unaborted))['firmware-ver']).toBe('9.8.7');
});

test.each(families)('$name: the device refuses a file for another hardware, and one without space', async (family) => {
  const { device, firmware } = opened(family);
  const refused = (code: number) => expect.objectContaining({ word: 'refused', code });
  const wrong = firmware.upload(imageFor(device, { hardware: 'Q' }), unaborted);
  await expect(wrong).rejects.toEqual(refused(family.codes.mismatch));
  device.firmware.faults = { freeBytes: 100_000 };
  const full = firmware.upload(imageFor(device), unaborted);
  await expect(full).rejects.toEqual(refused(family.codes.noSpace));
  expect(device.firmware).toMatchObject({ uploads: 0, starts: 0 });
});

test.each(families)('$name: without a file, nothing begins', async (family) => {
  const { firmware, progress } = opened(family);
  await expect(firmware.start(unaborted)).rejects.toMatchObject({ word: 'refused' });
  expect(await progress()).toMatchObject({ state: 'idle' });
});

test.each(families)('$name: a device that gives up says why, and can be tried again', async (family) => {
  const { device, firmware, progress, reaches } = opened(family, { failsAt: 50 });
  await firmware.upload(imageFor(device), unaborted);
  await firmware.start(unaborted);
  await reaches(({ state }) => state === 'failed');
  expect(await progress()).toMatchObject({ fault: { code: family.codes.writeFailed } });
  device.firmware.faults = {};
  await firmware.upload(imageFor(device), unaborted);
  await firmware.start(unaborted);
  expect((await progress()).state).not.toBe('failed');
});

test.each(families)('$name: a start whose answer is lost is read back, and not repeated', async (family) => {
  const { device, firmware } = opened(family, {}, long);
  const method = { usapi: 'update', mwapi: 'update' }[family.name] ?? 'upgrade/update';
  await firmware.upload(imageFor(device), unaborted);
  Object.assign(device, { faults: { unanswered: [method] }, unanswered: [method] });
  await firmware.start(unaborted);
  expect(device.firmware.starts).toBe(1);
});
