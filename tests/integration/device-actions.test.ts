/** Actions on simulated devices of every API, and one on 100 devices of which some fail in different ways. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { canEver, type DeviceAction, deviceActions } from '../../daemon/contract/device-actions.ts';
import type { Device } from '../../daemon/contract/devices.ts';
import type { Operation } from '../../daemon/contract/logs.ts';
import type { Task, TaskItem } from '../../daemon/contract/tasks.ts';
import { ApiPathDevice } from '../sim/devices/api-path.ts';
import { DirectorDevice } from '../sim/devices/director.ts';
import { MwapiDevice } from '../sim/devices/mwapi.ts';
import { MwapiPathDevice } from '../sim/devices/mwapi-path.ts';
import { OnvifDevice } from '../sim/devices/onvif.ts';
import { type ServedDevice, type Simulator, serveDevice, serveFleet } from '../sim/devices/serve.ts';
import { UsapiDevice } from '../sim/devices/usapi.ts';
import { until } from '../support/until.ts';
import { type HubProcess, startHub } from './hub-process.ts';
import { timeDivisor } from './scaled-timing.ts';

setDefaultTimeout(90_000);

let hub: HubProcess;
const served: ServedDevice[] = [];
beforeAll(async () => {
  hub = await startHub({ env: { SIGNALBOX_FEATURES: 'devices' }, timeDivisor });
  await hub.login();
});
afterAll(async () => {
  await hub.stop();
  await Promise.all(served.map((one) => one.close()));
});

const login = { user: 'Admin', password: 'Admin' };
const shown = async (sn: string) => (await hub.api<{ dev: Device }>(`/api/device/query?sn=${sn}`)).dev;
const isOnline = (sn: string) => until(async () => (await shown(sn)).connection === 'online');
const tell = (sn: string, action: DeviceAction, name?: string) =>
  hub.answer<{ params?: Record<string, unknown> }>('/api/device/action', {
    ...{ sn, action },
    ...(name !== undefined && { params: { name } }),
  });

/** Adds the device and returns its serial number. */
async function add(device: Simulator, more: object = login): Promise<string> {
  const one = serveDevice(device);
  served.push(one);
  const address = `127.0.0.1:${one.address.port}`;
  const { list } = await hub.api<{ list: { sn: string }[] }>('/api/device/add', { address, ...more });
  const sn = list[0]?.sn ?? '';
  await isOnline(sn);
  return sn;
}

describe('each simulated device does what its API has', () => {
  const encoder = (kind: 'encode' | 'stream', sn: string) =>
    new UsapiDevice({ kind, sn, name: `New ${sn}` }).asRecorded();
  const director = async (): Promise<[Simulator, object]> => {
    const device = new DirectorDevice();
    return [device, { driver: 'v1', 'osc-port': await device.listen(), name: 'Stage director' }];
  };

  test.each<[string, () => Promise<[Simulator, object?]>, readonly DeviceAction[]]>([
    ['Ultra Encode', async () => [encoder('encode', 'B313240920201')], deviceActions.slice(0, 6)],
    ['Ultra Stream', async () => [encoder('stream', 'A302240115202')], deviceActions.slice(0, 6)],
    [
      'Pro Convert encoder',
      async () => [new MwapiDevice({ kind: 'encoder', sn: 'B401240506203', name: 'E', renameMs: 50 })],
      ['rename', 'reboot'],
    ],
    [
      'Pro Convert decoder',
      async () => [new MwapiDevice({ kind: 'decoder', sn: 'A421240212204', name: 'D', rebootMs: 50 })],
      ['rename', 'reboot'],
    ],
    ['IP decoder', async () => [new ApiPathDevice({ kind: 'decoder', sn: 'A442250318205', name: 'I' })], ['reboot']],
    ['audio converter', async () => [new ApiPathDevice({ kind: 'audio', sn: 'A424250318206', name: 'A' })], ['reboot']],
    ['camera', async () => [new OnvifDevice({ sn: 'EX-0207' })], ['reboot']],
    ['USB Fusion', async () => [new MwapiPathDevice()], ['rename', 'reboot']],
    ['Director', director, ['reboot', 'record-start', 'record-stop', 'quick-start', 'quick-stop']],
  ])('%s', async (_, make, expected) => {
    const [device, more] = await make();
    const sn = await add(device, more);
    const before = await shown(sn);
    expect(deviceActions.filter((action) => canEver(before, action))).toEqual([...expected]);
    // A restart is the last: the device does not answer after it.
    const inOrder = [...expected.filter((action) => action !== 'reboot'), 'reboot' as const];
    for (const action of inOrder) {
      const { 'pause-until': expectedBack } = await shown(sn);
      if (expectedBack !== undefined) {
        await until(async () => (await shown(sn))['pause-until'] === undefined);
        // The simulated device is back sooner than a real one.
        expect(Date.now()).toBeLessThan(expectedBack);
      }
      const answer = await tell(sn, action, action === 'rename' ? 'Renamed' : undefined);
      expect([action, answer]).toEqual([action, { result: 0 }]);
      const now = await shown(sn);
      if (action === 'rename') expect(now.name).toBe('Renamed');
      if (action === 'reboot') expect(now['pause-until']).toBeGreaterThan(Date.now());
      const [, fact, isOn] = /^(record|live|quick)-(start|stop)$/.exec(action) ?? [];
      const known = fact === 'record' ? 'recording' : 'living';
      if (fact !== undefined) await until(async () => (await shown(sn)).status[known] === (isOn === 'start'));
    }
    expect(await tell(sn, 'reboot')).toMatchObject({ result: 11, params: { reason: 'pausing' } });
    const { name } = await shown(sn);
    const { list } = await hub.api<{ list: Operation[] }>('/api/log/list?count=20');
    const ofDevice = list
      .filter(({ subject }) => subject === name || subject === before.name)
      .map(({ action }) => action);
    expect(ofDevice.slice(0, inOrder.length + 1).reverse()).toEqual(
      [...inOrder, 'reboot'].map((one) => `device.${one}`),
    );
  });
});

describe('one action on 100 devices of which some fail', () => {
  type Failure = (device: UsapiDevice) => unknown;
  /** Accepts nothing any more once it has got the call. */
  const silentAfter =
    (method: string): Failure =>
    (device) => {
      const handle = device.handle.bind(device);
      device.handle = async (request) => {
        const response = handle(request);
        if (new URL(request.url).searchParams.get('method') === method) device.faults = { isSilent: true };
        await response;
        return device.faults.isSilent ? new Promise<Response>(() => {}) : response;
      };
    };
  const code =
    (result: number): Failure =>
    (device) => {
      device.faults = { codes: { 'start-rec': result } };
    };
  const failures: readonly [sn: number, Failure, fault: { result: number; reason?: string; problem?: string }][] = [
    [3, (device) => Object.assign(device, { hasDisk: false }), { result: 16, reason: 'storageMissing' }],
    [7, code(-16), { result: 29, reason: 'storageFull' }],
    [11, code(-35), { result: 38, reason: 'noSignal' }],
    [19, code(-9), { result: 11, problem: 'busy' }],
    [23, code(-26), { result: 36, problem: 'noPermission' }],
    [31, code(-99), { result: 38, problem: 'refused' }],
    // It accepts, and does not record.
    [42, code(0), { result: 10004, reason: 'notDone' }],
    // The call does not reach it.
    [57, (device) => Object.assign(device, { faults: { lost: ['start-rec'] } }), { result: 10004, reason: 'notDone' }],
    [68, silentAfter('start-rec'), { result: 47, reason: 'unknown' }],
    [77, (device) => Object.assign(device, { updatePercent: 40 }), { result: 11, reason: 'updating' }],
  ];
  /** It does it, and its answer is lost: that is read back. */
  const unanswered = 88;
  const [switchedOff, rejected] = [91, 95];

  test('each ends in its true result, is told once, and the operation log has it all', async () => {
    const devices = Array.from({ length: 100 }, (_, at) => {
      const number = `${at}`.padStart(3, '0');
      return new UsapiDevice({ kind: 'encode', sn: `B313241001${number}`, name: `Seat ${number}` });
    });
    const at = (index: number): UsapiDevice => devices[index] as UsapiDevice;
    const fleet = serveFleet(devices);
    const addresses = fleet.addresses.map(({ host, port }) => ({ address: `${host}:${port}`, ...login }));
    const alone = serveDevice(at(switchedOff));
    addresses[switchedOff] = { address: `127.0.0.1:${alone.address.port}`, ...login };
    try {
      for (let from = 0; from < 100; from += 50)
        await hub.api('/api/device/add', { list: addresses.slice(from, from + 50) });
      for (const { sn } of devices) await isOnline(sn);
      await alone.switchOff();
      await until(async () => (await shown(at(switchedOff).sn)).connection === 'offline');
      await hub.api('/api/device/reject', { sn: at(rejected).sn });
      for (const [index, fail] of failures) fail(at(index));
      at(unanswered).faults = { unanswered: ['start-rec'] };
      await until(async () => (await shown(at(77).sn)).status.tasks?.includes('updating') === true);
      const expected = new Map<string, object>(
        failures.map(([index, , { result, ...params }]) => [at(index).sn, { result, params }]),
      );
      expected.set(at(switchedOff).sn, { result: 10007, params: { reason: 'offline' } });
      expected.set(at(rejected).sn, { result: 38, params: { reason: 'notAccepted' } });
      expected.set('UNKNOWN', { result: 10006 });

      const sn = [...devices.map((device) => device.sn), 'UNKNOWN'];
      const { task: id } = await hub.api<{ task: number }>('/api/device/action', { sn, action: 'record-start' });
      const task = () => hub.api<Task & { list: TaskItem[] }>(`/api/task/query?id=${id}`);
      await until(async () => (await task()).ended > 0, 60_000, 'the task ends');
      const { state, total, done, failed, list } = await task();
      expect({ state, total, done, failed }).toEqual({ state: 'done', total: 101, done: 101, failed: expected.size });
      for (const { key, state: itemState, fault } of list) {
        const wanted = expected.get(key);
        expect([key, itemState]).toEqual([key, wanted === undefined ? 'done' : 'failed']);
        if (wanted !== undefined) expect([key, fault]).toMatchObject([key, wanted]);
      }
      const told = devices.map(({ calls }) => calls.filter((method) => method === 'start-rec').length);
      const isNotTold = new Set([77, switchedOff, rejected]);
      expect(told).toEqual(devices.map((_, index) => (isNotTold.has(index) ? 0 : 1)));

      const log = await hub.api<{ list: Operation[] }>('/api/log/list?count=1000');
      const entries = log.list.filter(({ action }) => action === 'device.record-start');
      const results = new Map(entries.map(({ subject, result }) => [subject, result]));
      const wanted = list.map(({ key, name, fault }) => [key === 'UNKNOWN' ? '' : name, fault?.result ?? 0] as const);
      expect(new Map(wanted)).toEqual(new Map(wanted.map(([name]) => [name, results.get(name) ?? -1])));
      const [bulk] = log.list.filter(({ action }) => action === 'device.bulk');
      expect(bulk).toMatchObject({ user: 'Admin', detail: 'Seat 000, Seat 001, Seat 002: record-start, 101 devices' });
    } finally {
      await fleet.close();
      await alone.close();
    }
  });
});
