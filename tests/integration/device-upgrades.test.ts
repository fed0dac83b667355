/**
 * Twenty devices of three families get firmware from a real hub that is killed twice in the middle of it. Devices lose
 * their power, refuse the file, have no space, or disappear: each one ends in the state that it really has.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { Device } from '../../daemon/contract/devices.ts';
import type { Firmware } from '../../daemon/contract/firmware.ts';
import { results } from '../../daemon/contract/result.ts';
import type { Task, TaskItem } from '../../daemon/contract/tasks.ts';
import { type UpgradeFault, upgradeFaults } from '../../daemon/contract/upgrade-states.ts';
import { ApiPathDevice } from '../sim/devices/api-path.ts';
import type { DeviceOptions, SimulatedDevice } from '../sim/devices/device.ts';
import { type FirmwareFaults, firmwareImage } from '../sim/devices/firmware.ts';
import { MwapiDevice } from '../sim/devices/mwapi.ts';
import { type ServedDevice, serveDevice } from '../sim/devices/serve.ts';
import { UsapiDevice } from '../sim/devices/usapi.ts';
import { untilSeen } from '../support/until.ts';
import { type HubProcess, startHub } from './hub-process.ts';

setDefaultTimeout(120_000);

const waitMs = 60_000;
const next = '9.8.7';
const imageBytes = 1024 * 1024;
/** An upload takes half a second, writing and restarting a second each. */
const slow = { bytesPerSecond: 2 * imageBytes };
const options = { rebootMs: 1000, writeMs: 1000 };

interface Family {
  readonly productId: number;
  readonly hardware: string;
  readonly sn: (index: number) => string;
  readonly make: (options: DeviceOptions) => SimulatedDevice;
}
const families: readonly Family[] = [
  {
    ...{ productId: 0x313, hardware: 'B', sn: (index) => `B3132401010${index}0` },
    make: (of) => new UsapiDevice({ kind: 'encode', ...of }),
  },
  {
    ...{ productId: 0x401, hardware: 'B', sn: (index) => `B4012401010${index}0` },
    make: (of) => new MwapiDevice({ kind: 'encoder', ...of }),
  },
  {
    ...{ productId: 0x442, hardware: 'A', sn: (index) => `A4422401010${index}0` },
    make: (of) => new ApiPathDevice({ kind: 'decoder', ...of }),
  },
];

interface Case {
  readonly faults: FirmwareFaults;
  /** Undefined: it runs the new version. */
  readonly ends: UpgradeFault | undefined;
}
const healthy: Case = { faults: slow, ends: undefined };
const faulty: readonly Case[] = [
  { faults: { ...slow, powerLossAt: 50 }, ends: 'otherVersion' },
  { faults: { ...slow, failsAt: 30 }, ends: 'installFailed' },
  { faults: { start: 'mismatch' }, ends: 'mismatch' },
  { faults: { freeBytes: imageBytes / 2 }, ends: 'noSpace' },
  { faults: { file: 'badFile' }, ends: 'badFile' },
  { faults: { dropAfter: imageBytes / 2 }, ends: 'uploadFailed' },
];
/** The first family has all faults. */
const casesOf = [
  [healthy, ...faulty, healthy, healthy],
  [healthy, healthy, ...faulty.slice(2)],
  [healthy, ...faulty.slice(0, 4)],
] as const;

interface Member extends Case {
  readonly device: SimulatedDevice;
  readonly served: ServedDevice;
  readonly before: string;
}

let hub: HubProcess;
const members: Member[] = [];

beforeAll(async () => {
  hub = await startHub({ env: { SIGNALBOX_FEATURES: 'devices' }, timeDivisor: 20 });
  await hub.login();
});
afterAll(async () => {
  await hub.stop();
  for (const { served } of members) await served.close();
});

const query = async (sn: string) => (await hub.api<{ dev: Device }>(`/api/device/query?sn=${sn}`)).dev;
const all = async () => (await hub.api<{ list: Device[] }>('/api/device/list')).list;
type Items = Task & { list: TaskItem[] };
const taskOf = (id: number) => hub.api<Items>(`/api/task/query?id=${id}`);

async function addFile({ productId, hardware }: Family): Promise<number> {
  const image = new Uint8Array(firmwareImage({ productId, hardware, version: next, bytes: imageBytes }));
  const name = `firmware-${productId}-0-${hardware}-${next}.mwf`;
  const { task } = await hub.api<{ task: number }>('/api/firmware/begin-upload', { name, size: image.length });
  await fetch(`${hub.url}/api/upload/data?task=${task}`, { method: 'PUT', body: image, headers: hub.headers() });
  await untilSeen(
    () => taskOf(task),
    ({ state }) => state === 'done',
    waitMs,
    'the file is in the library',
  );
  const { list } = await hub.api<{ list: Firmware[] }>('/api/firmware/list');
  return list.find((file) => file['product-id'] === productId)?.id ?? 0;
}

async function addDevices({ sn, make }: Family, cases: readonly Case[]): Promise<string[]> {
  const added = cases.map((one, index): Member => {
    const device = make({ sn: sn(index), name: `Device ${sn(index)}`, ...options });
    device.firmware.faults = one.faults;
    return { ...one, device, served: serveDevice(device), before: device.firmware.version };
  });
  members.push(...added);
  const login = { user: 'Admin', password: 'Admin' };
  const list = added.map(({ served }) => ({ address: `127.0.0.1:${served.address.port}`, ...login }));
  await hub.api('/api/device/add', { list });
  return added.map(({ device }) => device.sn);
}

const statesNow = async () => new Set((await all()).map((device) => device['update-state']));
const endedOf = async (tasks: readonly number[]) =>
  (await Promise.all(tasks.map(taskOf))).flatMap(({ list }) => list.filter(({ upgrade }) => (upgrade?.ended ?? 0) > 0));

test('whatever happens to devices and hub, each device ends in the state that it has', async () => {
  const tasks: number[] = [];
  const orders: { readonly sn: string[]; readonly 'firmware-id': number }[] = [];
  for (const [at, family] of families.entries()) {
    orders.push({ sn: await addDevices(family, casesOf[at] ?? []), 'firmware-id': await addFile(family) });
  }
  expect(members).toHaveLength(20);
  await untilSeen(all, (list) => list.every(({ connection }) => connection === 'online'), waitMs, 'all are online');
  for (const order of orders) {
    const plan = { 'max-parallel': 3 };
    const { task } = await hub.api<{ task: number }>('/api/device/upgrade', { ...order, plan });
    tasks.push(task);
  }
  // Some devices get the file, others write it or restart. No moment has all of that for certain.
  await untilSeen(
    statesNow,
    (states) => [2, 3, 4].filter((state) => states.has(state)).length >= 2,
    waitMs,
    'devices at different steps',
  );
  await hub.kill('SIGKILL');
  await hub.restart();
  const before = (await endedOf(tasks)).length;
  await untilSeen(
    () => endedOf(tasks),
    ({ length }) => length > before + 1,
    waitMs,
    'further devices have ended',
  );
  await hub.kill('SIGKILL');
  await hub.restart();
  const ended = await untilSeen(
    () => Promise.all(tasks.map(taskOf)),
    (list) => list.every(({ state }) => state === 'done'),
    waitMs,
    'all upgrades have ended',
  );
  const items = new Map(ended.flatMap(({ list }) => list).map((item) => [item.key, item]));
  const found = members.map(({ device: { sn, firmware } }) => {
    const { state, fault, upgrade } = items.get(sn) as TaskItem;
    return { sn, state, result: fault?.result ?? 0, step: upgrade?.step, runs: firmware.version };
  });
  const expected = members.map(({ device: { sn }, ends, before: old }) => ({
    ...{ sn, state: ends ? 'failed' : 'done', result: ends ? results[upgradeFaults[ends]].code : 0 },
    ...{ step: ends ? 'failed' : 'succeeded', runs: ends ? old : next },
  }));
  expect(found).toEqual(expected as typeof found);
  // None was told to write twice, nor disturbed while it wrote.
  for (const { device } of members) {
    expect([device.sn, device.firmware.disturbed]).toEqual([device.sn, 0]);
    expect(device.firmware.starts).toBeLessThanOrEqual(1);
  }
  // The hub shows what the devices run, and none that is being upgraded.
  for (const { device, ends } of members) {
    const seen = await untilSeen(
      () => query(device.sn),
      (dev) => dev.connection === 'online' && dev['firmware-ver'] === device.firmware.version,
      waitMs,
      'the hub has asked the device',
    );
    expect(seen.upgrade).toBeUndefined();
    expect([ends ? [-1, 0] : [0]].flat()).toContain(seen['update-state']);
  }
});

test('the report of an upgrade has the result of each device', async () => {
  const { list } = await hub.api<{ list: Task[] }>('/api/task/list');
  const reports = list.filter(({ kind }) => kind === 'device.upgrade');
  const lines: string[] = [];
  for (const { id } of reports) {
    const response = await fetch(`${hub.url}/api/device/upgrade/report?task=${id}`, { headers: hub.headers() });
    lines.push(...(await response.text()).trim().split('\r\n').slice(1));
  }
  const named = ({ ends }: Case) => (ends ? `failed,failed,` : 'done,succeeded,');
  for (const member of members) {
    const line = lines.find((one) => one.startsWith(member.device.sn)) ?? '';
    expect(line).toContain(named(member));
    expect(line).toContain(member.ends ? upgradeFaults[member.ends] : 'success');
  }
});
