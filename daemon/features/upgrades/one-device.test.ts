/** One upgrade, from the fleet to the network: simulated devices of each family, with everything that goes wrong. */
import { afterEach, expect, test } from 'bun:test';
import { ApiPathDevice } from '../../../tests/sim/devices/api-path.ts';
import { factoryCredentials, type SimulatedDevice } from '../../../tests/sim/devices/device.ts';
import { type FirmwareFaults, firmwareImage } from '../../../tests/sim/devices/firmware.ts';
import { MwapiDevice } from '../../../tests/sim/devices/mwapi.ts';
import { quickTimes, transportTo } from '../../../tests/sim/devices/rig.ts';
import { serveDevice } from '../../../tests/sim/devices/serve.ts';
import { UsapiDevice } from '../../../tests/sim/devices/usapi.ts';
import { until } from '../../../tests/support/until.ts';
import { type DeviceApi, serialParts } from '../../contract/device-catalog.ts';
import type { ItemUpgrade } from '../../contract/device-upgrade-fields.ts';
import { type UpgradeStep, upgradableApis } from '../../contract/upgrade-states.ts';
import { createApiPathDriver } from '../../devices/api-path/driver.ts';
import type { Driver } from '../../devices/driver.ts';
import { createFleet } from '../../devices/fleet.ts';
import { createMwapiDriver } from '../../devices/mwapi/driver.ts';
import { createDriverRegistry, shippedDrivers } from '../../devices/registry.ts';
import { createUsapiDriver } from '../../devices/usapi/driver.ts';
import { HubError } from '../../lib/hub-error.ts';
import { createLog } from '../../lib/log.ts';
import { timing } from '../../timing.ts';
import { type OneUpgrade, type UpgradeTimes, upgradeDevice } from './one-device.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const times: UpgradeTimes = {
  lookMs: 10,
  askMs: 1000,
  beginMs: 300,
  stallMs: 600,
  backMs: 2000,
  patienceMs: 200,
  returnMs: 2000,
};
const clock = {
  ...{ now: () => Date.now(), elapsed: () => performance.now(), random: () => 0.5 },
  after(ms: number, then: () => void) {
    const timer = setTimeout(then, ms);
    return () => clearTimeout(timer);
  },
};
const quick = { rebootMs: 50, writeMs: 100 };
const callTimes = { ...quickTimes, answerMs: 300, fileMs: 500 };

interface Family {
  readonly api: DeviceApi;
  readonly driver: Driver;
  readonly make: (more?: object) => SimulatedDevice;
}
const encoders: Family = {
  api: 'usapi',
  driver: createUsapiDriver(callTimes),
  make: (more) => new UsapiDevice({ kind: 'encode', sn: 'B313231201201', name: 'Truck', ...quick, ...more }),
};
const cameras: Family = {
  api: 'mwapi',
  driver: createMwapiDriver(callTimes),
  make: (more) => new MwapiDevice({ kind: 'encoder', sn: 'B401180706020', name: 'Camera', ...quick, ...more }),
};
const walls: Family = {
  api: 'apiPath',
  driver: createApiPathDriver(callTimes),
  make: (more) => new ApiPathDevice({ kind: 'decoder', sn: 'A442250318007', name: 'Wall', ...quick, ...more }),
};
const families = [encoders, cameras, walls];

const version = '9.8.7';

function rig(family: Family, faults: FirmwareFaults = {}, more: object = {}) {
  const device = family.make(more);
  device.firmware.faults = faults;
  const served = serveDevice(device);
  const fleet = createFleet({
    ...{ driver: async () => family.driver, clock, log: createLog('error') },
    times: { ...timing.fleet, unwatchedMs: 20, againMs: 20, offlineMs: 20, longestPauseMs: 50 },
  });
  closing.push(served.close, fleet.close);
  fleet.apply([
    {
      ...{ sn: device.sn, api: family.api, credentials: factoryCredentials },
      transport: transportTo(served.address),
    },
  ]);
  const cancel = new AbortController();
  const stop = new AbortController();
  const steps: UpgradeStep[] = [];
  /** As the database has it. */
  const stored = { upgrade: undefined as ItemUpgrade | undefined, isFull: false, isWriting: false };
  const shown = { upgrade: undefined as ItemUpgrade | undefined };
  let onStep = (_: UpgradeStep) => {};
  const { productId = 0, hardwareVersion = '' } = serialParts(device.sn) ?? {};
  let image = firmwareImage({ productId, hardware: hardwareVersion, version, bytes: 512 * 1024 });
  const show = (upgrade: ItemUpgrade) => {
    if (steps.at(-1) !== upgrade.step) steps.push(upgrade.step);
    shown.upgrade = upgrade;
  };
  const fresh: ItemUpgrade = {
    ...{ step: 'waiting', percent: 0, from: device.firmware.version, to: version, started: 0, ended: 0 },
  };
  const upgrade = (more: Partial<OneUpgrade> = {}) =>
    upgradeDevice({
      keep: async () => fleet.keep(device.sn),
      file: async () => ({
        ...{ name: 'firmware.mwf', bytes: image.length },
        async *read() {
          for (let at = 0; at < image.length; at += 65_536) yield image.subarray(at, at + 65_536);
        },
      }),
      ...{ known: fresh, isResumed: false, times, now: Date.now, show },
      ...{ signal: AbortSignal.any([cancel.signal, stop.signal]), stopping: stop.signal },
      store(one) {
        show(one);
        if (!stored.isFull) stored.upgrade = one;
        onStep(one.step);
        return !stored.isFull;
      },
      onWriting() {
        stored.isWriting = true;
      },
      ...more,
    });
  return {
    ...{ device, served, fleet, upgrade, steps, stored, shown, cancel, stop, fresh },
    onStep(then: (step: UpgradeStep) => void) {
      onStep = then;
    },
    isOnline: () => until(() => fleet.report(device.sn)?.connection === 'online'),
    otherFile(of: Partial<Parameters<typeof firmwareImage>[0]>) {
      image = firmwareImage({ productId, hardware: hardwareVersion, version, ...of });
    },
    spoilFile: () => image.fill('x', image.length - 10),
  };
}
const failsWith = (reason: string, message = /./) =>
  expect.objectContaining({ params: { reason }, message: expect.stringMatching(message) });

test.each(families)('$api: a device runs the new version after all steps', async (family) => {
  const { upgrade, device, steps, fleet, shown } = rig(family);
  await upgrade();
  const all = ['uploading', 'verifying', 'updating', 'rebooting', 'succeeded'];
  expect(steps).toEqual(['waiting', ...all] as UpgradeStep[]);
  expect(device.firmware).toMatchObject({ version, uploads: 1, starts: 1, disturbed: 0, state: 'idle' });
  expect(shown.upgrade).toMatchObject({ step: 'succeeded', ended: expect.any(Number) });
  await until(() => fleet.report(device.sn)?.facts?.identity['firmware-ver'] === version);
});

test.each(families)('$api: a device that is already gone, or busy, gets nothing', async (family) => {
  const { upgrade, device, served, stored, shown } = rig(family);
  device.updatePercent = 30;
  await expect(upgrade()).rejects.toEqual(failsWith('busy'));
  device.updatePercent = undefined;
  await served.switchOff();
  await expect(upgrade()).rejects.toEqual(failsWith('offline'));
  expect(shown).toMatchObject({ upgrade: { step: 'failed' } });
  expect(stored.isWriting).toBe(false);
  expect(device.firmware.uploads).toBe(0);
});

test.each(families)('$api: the device has the last word about the file', async (family) => {
  const { upgrade, device, otherFile, spoilFile, shown } = rig(family);
  otherFile({ hardware: 'Q' });
  await expect(upgrade()).rejects.toEqual(failsWith('mismatch'));
  otherFile({});
  spoilFile();
  await expect(upgrade()).rejects.toEqual(failsWith('badFile'));
  otherFile({});
  device.firmware.faults = { freeBytes: 100_000 };
  await expect(upgrade()).rejects.toEqual(failsWith('noSpace'));
  device.firmware.faults = { start: 'mismatch' };
  await expect(upgrade()).rejects.toEqual(failsWith('mismatch'));
  expect(device.firmware).toMatchObject({ starts: 0, state: 'idle' });
  expect(shown.upgrade).toMatchObject({ step: 'failed' });
});

test.each(families)('$api: a device that disappears or is stuck during the upload is reported', async (family) => {
  const { upgrade, device, stored, steps, shown } = rig(family, { dropAfter: 200_000 });
  await expect(upgrade()).rejects.toEqual(failsWith('uploadFailed'));
  device.firmware.faults = { stuckAfter: 200_000 };
  await expect(upgrade()).rejects.toEqual(failsWith('uploadFailed', /within|closed/));
  expect(steps).not.toContain('updating');
  expect(shown).toMatchObject({ upgrade: { step: 'failed' } });
  expect(stored.isWriting).toBe(false);
});

test.each(families)('$api: a device that loses its power comes back with the old version', async (family) => {
  const { upgrade, device, steps, shown } = rig(family, { powerLossAt: 50 });
  const { version: old } = device.firmware;
  await expect(upgrade()).rejects.toEqual(failsWith('otherVersion', new RegExp(old.replaceAll('.', '\\.'))));
  expect(steps).toContain('updating');
  expect(shown.upgrade).toMatchObject({ step: 'failed' });
  expect(device.firmware).toMatchObject({ version: old, starts: 1 });
});

test.each(families)(
  '$api: a device that gives up, hangs, or comes back with another version is reported',
  async (family) => {
    const { upgrade, device } = rig(family, { failsAt: 40 });
    await expect(upgrade()).rejects.toEqual(failsWith('installFailed', /gave up/));
    // What it still says of the last time is not taken for this time.
    device.firmware.faults = { comesBackWith: '1.0.0' };
    await expect(upgrade()).rejects.toEqual(failsWith('otherVersion', /1\.0\.0/));
    device.firmware.faults = { hangsAt: 70 };
    await expect(upgrade()).rejects.toEqual(failsWith('timeout', /no progress/));
  },
);

test('a device that does not come back is reported when its time is over', async () => {
  const { upgrade, device, served, steps } = rig(encoders, {}, { writeMs: 60 });
  const done = upgrade({ times: { ...times, backMs: 300 } });
  await until(() => steps.includes('updating'));
  await served.switchOff();
  await expect(done).rejects.toEqual(failsWith('timeout', /did not come back/));
  expect(device.firmware.starts).toBe(1);
});

test('while a device is upgraded, nothing else asks it, and its silence does not make it offline', async () => {
  const { upgrade, device, fleet, steps, isOnline } = rig(encoders, {}, { rebootMs: 400 });
  await isOnline();
  const seen = new Set<string>();
  const stopWatching = fleet.watch(() => seen.add(fleet.report(device.sn)?.connection ?? ''));
  const done = upgrade();
  await until(() => steps.includes('updating'));
  await expect(
    fleet.act(device.sn, async (session) => session.reboot?.(new AbortController().signal)),
  ).rejects.toMatchObject({
    word: 'busy',
  });
  await expect(fleet.picture(device.sn)).rejects.toMatchObject({ word: 'busy' });
  await expect(upgrade()).rejects.toEqual(failsWith('busy'));
  await until(() => steps.includes('rebooting'));
  await done;
  await until(() => fleet.report(device.sn)?.facts?.identity['firmware-ver'] === version);
  stopWatching();
  expect([...seen]).toEqual(['online']);
});

test('a canceled upload is cut, and the device keeps its firmware', async () => {
  const { upgrade, device, cancel, stored, steps, shown } = rig(encoders, { bytesPerSecond: 100_000 });
  const reason = new HubError('canceled', 'the task was canceled');
  const done = upgrade();
  await until(() => steps.includes('uploading') && device.calls.includes('upload-update-file'));
  cancel.abort(reason);
  await expect(done).rejects.toBe(reason);
  expect(shown).toMatchObject({ upgrade: { step: 'canceled' } });
  expect(stored.isWriting).toBe(false);
  expect(device.firmware.starts).toBe(0);
});

test('a cancel while the device writes changes nothing', async () => {
  const { upgrade, device, cancel, stored, steps, shown } = rig(encoders);
  const done = upgrade();
  await until(() => steps.includes('updating'));
  cancel.abort(new HubError('canceled', 'the task was canceled'));
  await done;
  expect(shown).toMatchObject({ upgrade: { step: 'succeeded' } });
  expect(stored.isWriting).toBe(true);
  expect(device.firmware.version).toBe(version);
});

test('a device is not told to write if the hub cannot store that', async () => {
  const { upgrade, device, stored } = rig(encoders);
  stored.isFull = true;
  await expect(upgrade()).rejects.toMatchObject({ result: 'noSpace' });
  expect(device.firmware).toMatchObject({ uploads: 1, starts: 0 });
});

/** What the next hub finds: the steps that the stopped one stored. */
test.each(families)(
  '$api: a hub that stops in any step leaves a device whose upgrade the next one ends',
  async (family) => {
    for (const step of ['uploading', 'verifying', 'updating', 'rebooting'] as const) {
      const { upgrade, device, stop, stored, onStep, shown } = rig(family, {}, { rebootMs: 150, writeMs: 150 });
      onStep((now) => {
        if (now === step) stop.abort(new HubError('interrupted', 'the hub is shutting down'));
      });
      await expect(upgrade()).rejects.toMatchObject({ result: 'interrupted' });
      expect(stored.upgrade?.step).toBe(step);
      const unaborted = new AbortController().signal;
      await upgrade({ known: stored.upgrade as ItemUpgrade, isResumed: true, signal: unaborted, stopping: unaborted });
      expect(device.firmware).toMatchObject({ version, starts: 1, disturbed: 0 });
      expect(shown.upgrade).toMatchObject({ step: 'succeeded' });
    }
  },
);

test.each([
  { faults: { start: 'mismatch' }, ends: 'mismatch' },
  { faults: {}, ends: 'succeeded' },
] as const)('a hub that was killed before it stored the result $ends finds it again', async ({ faults, ends }) => {
  const { upgrade, stored } = rig(encoders, faults);
  const end = (more: Partial<OneUpgrade>) =>
    upgrade(more).then(
      () => 'succeeded',
      (error: HubError) => error.params?.reason,
    );
  expect(await end({})).toBe(ends);
  expect(await end({ known: stored.upgrade as ItemUpgrade, isResumed: true })).toBe(ends);
});

test('a hub that was killed before it told the device sends the file again', async () => {
  const { upgrade, device, fresh, shown } = rig(encoders);
  const known = { ...fresh, step: 'updating', 'writing-since': Date.now() - 10_000, 'uptime-s': 100 } as const;
  await upgrade({ known, isResumed: true });
  expect(device.firmware).toMatchObject({ version, uploads: 1, starts: 1 });
  expect(shown.upgrade).toMatchObject({ step: 'succeeded' });
});

test('a device that did it while the hub was off gets no second file', async () => {
  const { upgrade, device, fresh } = rig(encoders);
  device.firmware.version = version;
  for (const step of ['uploading', 'updating', 'rebooting'] as const) {
    await upgrade({ known: { ...fresh, step, 'writing-since': Date.now() - 10_000 }, isResumed: true });
  }
  expect(device.firmware).toMatchObject({ uploads: 0, starts: 0 });
});

test('a device that misses one answer when its turn comes is not given up', async () => {
  const { upgrade, device, served, steps } = rig(encoders);
  await served.switchOff();
  const done = upgrade({ times: { ...times, patienceMs: 5000 } });
  await until(() => steps.includes('uploading'));
  served.switchOn();
  await done;
  expect(device.firmware.version).toBe(version);
});

test('after a restart of the hub, a device has time to be there again', async () => {
  const { upgrade, device, served, fresh } = rig(encoders);
  await served.switchOff();
  const done = upgrade({ known: { ...fresh, step: 'uploading' }, isResumed: true });
  await Bun.sleep(100);
  served.switchOn();
  await done;
  expect(device.firmware.version).toBe(version);
});

test('the same version is installed again, and counts once the device has restarted', async () => {
  const { upgrade, device, fresh, steps } = rig(cameras);
  device.firmware.version = version;
  await upgrade({ known: { ...fresh, from: version } });
  expect(device.firmware).toMatchObject({ uploads: 1, starts: 1 });
  expect(steps).toContain('rebooting');
});

test('the drivers that take firmware are those of the contract', async () => {
  const registry = createDriverRegistry(shippedDrivers);
  const transport = { request: () => Promise.reject(new Error('no request')) };
  for (const api of Object.keys(shippedDrivers) as DeviceApi[]) {
    if (api === 'stream' || api === 'v1') continue;
    const session = (await registry.driver(api)).open(transport, factoryCredentials);
    expect([api, session.firmware !== undefined]).toEqual([api, upgradableApis.has(api)]);
  }
});
