/** What the drivers do when a device misbehaves, with real connections to simulated devices. */
import { afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { ApiPathDevice } from '../../tests/sim/devices/api-path.ts';
import type { SimulatedDevice } from '../../tests/sim/devices/device.ts';
import type { Faults } from '../../tests/sim/devices/faults.ts';
import { makeFleet } from '../../tests/sim/devices/fleet.ts';
import { MwapiDevice } from '../../tests/sim/devices/mwapi.ts';
import { quickTimes, transportTo, unaborted } from '../../tests/sim/devices/rig.ts';
import { serveDevice, serveFleet } from '../../tests/sim/devices/serve.ts';
import { UsapiDevice } from '../../tests/sim/devices/usapi.ts';
import { type DeviceCertificate, makeDeviceCertificate } from '../../tests/support/device-certificates.ts';
import type { DeviceProblemWord } from '../contract/device-problems.ts';
import { createApiPathDriver } from './api-path/driver.ts';
import type { DeviceSession, Driver } from './driver.ts';
import { createMwapiDriver } from './mwapi/driver.ts';
import { DeviceProblem } from './problem.ts';
import { createDriverRegistry, shippedDrivers } from './registry.ts';
import { createUsapiDriver } from './usapi/driver.ts';

const password = { user: 'Admin', password: 'Admin' };
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});
let [first, second]: DeviceCertificate[] = [];
beforeAll(() => {
  [first, second] = [makeDeviceCertificate('device'), makeDeviceCertificate('device')];
});

interface Kind {
  readonly device: (sn?: string) => SimulatedDevice;
  readonly driver: Driver;
  /** The call for the state. */
  readonly poll: string;
}

const kinds = {
  usapi: {
    device: (sn = 'B313240506011') => new UsapiDevice({ kind: 'encode', sn, name: 'Hall' }).asRecorded({ live: true }),
    driver: createUsapiDriver(quickTimes),
    poll: 'get-status',
  },
  mwapi: {
    device: (sn = 'A421240212014') => new MwapiDevice({ kind: 'decoder', sn, name: 'Lobby' }),
    driver: createMwapiDriver(quickTimes),
    poll: 'get-summary-info',
  },
  apiPath: {
    device: (sn = 'A442250318007') => new ApiPathDevice({ kind: 'decoder', sn, name: 'Room 12' }),
    driver: createApiPathDriver(quickTimes),
    poll: 'system/summary',
  },
} as const satisfies Record<string, Kind>;
type Api = keyof typeof kinds;
const apis = Object.keys(kinds) as Api[];

function start(api: Api, certificate?: DeviceCertificate) {
  const { device: make, driver }: Kind = kinds[api];
  const device = make();
  const served = serveDevice(device, certificate);
  closing.push(served.close);
  return { device, served, session: driver.open(transportTo(served.address), password) };
}

async function problemOf(work: Promise<unknown>): Promise<DeviceProblem> {
  const error = await work.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(DeviceProblem);
  return error as DeviceProblem;
}

describe.each(apis)('a device of the API %s', (api) => {
  const { poll } = kinds[api];

  test.each<[string, Faults, DeviceProblemWord]>([
    ['never answers', { isSilent: true }, 'timeout'],
    ['answers too late', { delayMs: quickTimes.answerMs * 3 }, 'timeout'],
    ['never ends its answer', { answer: 'endless' }, 'timeout'],
    ['begins an answer of 10 GB', { answer: 'huge' }, 'invalidAnswer'],
    ['answers with broken JSON', { answer: 'broken' }, 'invalidAnswer'],
    ['answers without a result code', { missing: ['result', 'status'] }, 'invalidAnswer'],
    ['answers with HTTP status 500', { status: 500 }, 'invalidAnswer'],
    ['answers with HTTP status 403', { status: 403 }, 'noPermission'],
    ['forgets its sessions', { forgetsSessions: true }, 'refused'],
    ['has an unknown result code', { codes: { [poll]: 1234 } }, 'refused'],
  ])('that %s is a problem, and the session continues afterwards', async (_, faults, word) => {
    const { device, session } = start(api);
    await session.poll(unaborted);
    device.faults = faults;
    if (faults.forgetsSessions) device.expireSessions();
    expect(await problemOf(session.poll(unaborted))).toMatchObject({ word });
    device.faults = {};
    expect((await session.poll(unaborted)).identity.sn).toBe(device.sn);
  });

  test('that is slow is only slow', async () => {
    const { device, session } = start(api);
    device.faults = { delayMs: 60 };
    expect((await session.poll(unaborted)).identity.sn).toBe(device.sn);
  });

  test('that changes its certificate gets neither password nor session', async () => {
    const { device, served, session } = start(api, first);
    await session.poll(unaborted);
    await served.showCertificate(second!);
    device.calls.length = 0;
    const problem = await problemOf(session.poll(unaborted));
    expect(problem).toMatchObject({ word: 'certificateChanged', fingerprint: second!.fingerprint });
    await session.close();
    expect(device.calls).toEqual([]);
  });

  test('whose address another one of its model has now is not taken for it', async () => {
    const { device, served, session } = start(api);
    await session.poll(unaborted);
    await served.switchOff();
    const sn = `${device.sn.slice(0, -1)}9`;
    closing.push(serveDevice(kinds[api].device(sn), undefined, served.address.port).close);
    expect((await session.poll(unaborted)).identity.sn).toBe(sn);
  });

  test('is not asked any more once its caller has given up', async () => {
    const { device, session } = start(api);
    device.faults = { isSilent: true };
    const controller = new AbortController();
    const waiting = session.poll(controller.signal);
    controller.abort(new Error('the hub is shutting down'));
    await expect(waiting).rejects.toThrow('the hub is shutting down');
    device.faults = {};
    expect((await session.poll(unaborted)).identity.sn).toBe(device.sn);
  });
});

test.each<[Api, string, number, DeviceProblemWord]>([
  ['usapi', 'login', -1, 'wrongPassword'],
  ['usapi', 'get-status', -17, 'refused'],
  ['usapi', 'get-status', -26, 'noPermission'],
  ['usapi', 'get-status', -9, 'busy'],
  ['mwapi', 'login', 36, 'wrongPassword'],
  ['mwapi', 'get-summary-info', 37, 'refused'],
  ['apiPath', 'user/login', 16, 'wrongPassword'],
  ['apiPath', 'system/summary', 11, 'busy'],
])('of %s, the recorded result of %s, %d, is the problem %s', async (api, method, code, word) => {
  const { device, session } = start(api);
  device.faults = { codes: { [method]: code } };
  expect(await problemOf(session.poll(unaborted))).toMatchObject({ word, code });
});

test('an encoder without a disk refuses to record with its own code', async () => {
  const { device, session } = start('usapi');
  device.faults = { codes: { 'start-rec': -5 } };
  expect(await problemOf(session.setRecording?.(true, unaborted) ?? Promise.resolve())).toMatchObject({
    ...{ word: 'refused', code: -5, message: 'start-rec: no disk, or a disk error' },
  });
});

test('a device of another API at the address is none that the driver knows', async () => {
  const { served, session } = start('usapi');
  await session.poll(unaborted);
  await served.switchOff();
  closing.push(serveDevice(kinds.mwapi.device(), undefined, served.address.port).close);
  expect(await problemOf(session.poll(unaborted))).toMatchObject({ word: 'notADevice' });
});

test('5,000 simulated devices share one socket, and each is found by its address', async () => {
  const devices = makeFleet({ count: 5000, hasMedia: false });
  expect(new Set(devices.map(({ sn }) => sn)).size).toBe(5000);
  const fleet = serveFleet(devices);
  closing.push(fleet.close);
  const registry = createDriverRegistry(shippedDrivers);
  const some = [0, 1, 2, 3, 255, 256, 4999];
  const found = await Promise.all(
    some.map((at) => registry.identify(transportTo(fleet.addresses[at]!), password, unaborted)),
  );
  expect(found.map(({ sn, name }) => [sn, name])).toEqual(some.map((at) => [devices[at]!.sn, devices[at]!.name]));
  const stated = await Promise.all(
    ([0, 1, 2, 3] as const).map(async (at) => {
      const driver = await registry.driver(at === 0 || at === 3 ? 'usapi' : 'mwapi');
      return (await driver.open(transportTo(fleet.addresses[at]!), password).poll(unaborted)).ethernet?.address;
    }),
  );
  expect(stated).toEqual(['10.20.30.11', '10.20.30.12', '10.20.30.13', '10.20.30.14']);
  const session: DeviceSession = (await registry.driver('mwapi')).open(transportTo(fleet.addresses[1]!), password);
  devices[1]!.hasSignal = false;
  expect((await session.poll(unaborted)).warnings).toEqual(['noSignal']);
});
