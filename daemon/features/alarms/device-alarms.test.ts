import { expect, test } from 'bun:test';
import { readTopic } from '../../../tests/support/topic-reader.ts';
import { until } from '../../../tests/support/until.ts';
import { defaultDeviceAlarmRules } from '../../contract/alarm-kinds.ts';
import type { Alarm } from '../../contract/alarms.ts';
import type { ObjectsEvent } from '../../contract/events.ts';
import { groupTypes, maskOf } from '../../contract/permission.ts';
import type { Session } from '../../http/route.ts';
import { createLog } from '../../lib/log.ts';
import { memoryDatabase } from '../../store/memory-database-for-test.ts';
import { createAudit } from '../logs/audit.ts';
import { createAlarmActs } from './acts.ts';
import type { WatchedDevice } from './measure-devices.ts';
import { createAlarmMonitor } from './monitor.ts';
import { createAlarmSight } from './sight.ts';

const fine = { connection: 'online', problem: undefined, hasProblem: false, warnings: 0, facts: undefined } as const;
const offline = { ...fine, connection: 'offline', problem: 'timeout' } as const;
const facts = (more: object) => ({ streams: [], disks: [], warnings: [], tasks: [], ...more }) as never;

const admin = sessionOf({ type: groupTypes.admin, permission: 0 });
const viewer = sessionOf({ type: 4, permission: maskOf('channelView', 'deviceView') });
const operator = sessionOf({ type: 4, permission: maskOf('channelControl', 'deviceView', 'deviceControl') });

function sessionOf(more: { type: number; permission: number }): Session {
  return { user: { id: 2, name: 'ann', groupId: 2, groupName: '', ...more }, idHash: 'x' };
}

/** Viewers and operators see the devices whose serial number begins with `V`. */
function begin(devices: Map<string, Omit<WatchedDevice, 'sn' | 'name'>>, db = memoryDatabase()) {
  let clock = 0;
  const told: string[] = [];
  const now = () => 1_700_000_000_000 + clock;
  const canSeeDevice = (_: Session, sn: string) => devices.has(sn) && sn.startsWith('V');
  const sight = createAlarmSight({ canSeeDevice, common: (kind) => monitor.common(kind) });
  const monitor = createAlarmMonitor({
    ...{ db, now, uptime: () => clock, log: createLog('error', () => {}), channels: () => [], canSee: sight.alarm },
    devices: () => [...devices].map(([sn, device]) => ({ sn, name: `Camera ${sn}`, ...device })),
    space: () => ({ freeBytes: 2 ** 40, isFull: false }),
    media: () => ({ engine: 'running', parts: [], channels: new Map() }) as never,
    rules: () => ({}) as never,
    deviceRules: () => defaultDeviceAlarmRules,
    mutedUntil: (of) => acts.mutedUntil(of),
    tell: (_, event, { kind, name, device, peak }) => told.push(`${event} ${kind} ${device ?? `${name}${peak}`}`),
    notified: () => {},
  });
  const acts = createAlarmActs({
    ...{ db, now, audit: createAudit(now), monitor: () => monitor, canAct: sight.canAct },
    deviceName: (_, sn) => sn,
  });
  const run = (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      clock += 1000;
      monitor.look();
    }
  };
  const seenBy = (session: Session) => {
    const read = readTopic<ObjectsEvent<Alarm>>(monitor.topic, session);
    read.close();
    return read.messages[0]?.data.changed ?? [];
  };
  return { db, monitor, acts, run, told, seenBy, active: () => monitor.active().map((one) => [one.kind, one.device]) };
}

const caller = (session: Session) => ({ actor: { name: session.user.name, ip: '' }, session });
const fleet = (count: number, device: Omit<WatchedDevice, 'sn' | 'name'>, prefix = 'B') =>
  new Map(Array.from({ length: count }, (_, at) => [`${prefix}${at}`, device]));

test('a device that is offline for longer than the rule allows raises an alarm, which ends when it is back', () => {
  const devices = fleet(1, offline);
  const { run, told, monitor } = begin(devices);
  run(60);
  expect(told).toEqual([]);
  run(1);
  expect(told).toEqual(['raised device-offline B0']);
  expect(monitor.active()).toMatchObject([
    { kind: 'device-offline', severity: 'warning', name: 'Camera B0', device: 'B0', channel: 0, reason: 'timeout' },
  ]);
  devices.set('B0', fine);
  run(10);
  expect(told).toEqual(['raised device-offline B0', 'cleared device-offline B0']);
});

test.each([
  ['device-problem', { ...offline, problem: 'wrongPassword', hasProblem: true }],
  ['device-no-signal', { ...fine, warnings: 2 }],
  ['device-hot', { ...fine, warnings: 4 }],
  ['device-hot', { ...fine, facts: facts({ temperature: 90 }) }],
  ['device-storage', { ...fine, warnings: 8 }],
  ['device-storage', { ...fine, facts: facts({ disks: [{ kind: 'usb', state: 'failed' }] }) }],
  [
    'device-storage',
    { ...fine, facts: facts({ disks: [{ kind: 'sd', state: 'ready', 'total-bytes': 1000, 'free-bytes': 49 }] }) },
  ],
  ['device-network', { ...fine, warnings: 32 }],
] as const)('%s is raised alone for %j', (kind, device) => {
  const { run, active } = begin(new Map([['B0', device]]));
  run(61);
  expect(active()).toEqual([[kind, 'B0']]);
});

test('a fine device raises nothing: a missing disk, free space and a usual temperature are not faults', () => {
  const disks = [
    { kind: 'usb', state: 'missing' },
    { kind: 'sd', state: 'ready', 'total-bytes': 1000, 'free-bytes': 50 },
  ];
  const { run, active } = begin(new Map([['B0', { ...fine, facts: facts({ temperature: 89, disks }) }]]));
  run(200);
  expect(active()).toEqual([]);
});

test('a thousand devices that go offline are one alarm, and those that stay offline get their own at the end', () => {
  const devices = fleet(1000, fine);
  const { run, told, monitor } = begin(devices);
  run(5);
  // Polls notice it one after another.
  for (let at = 0; at < 1000; at += 50) {
    for (let one = at; one < at + 50; one++) devices.set(`B${one}`, offline);
    run(1);
  }
  run(60);
  expect(told).toHaveLength(1);
  expect(told[0]).toMatch(/^raised device-offline \d+$/);
  expect(monitor.active()).toMatchObject([{ kind: 'device-offline', name: '', threshold: 20, peak: 1000 }]);
  for (let at = 3; at < 1000; at++) devices.set(`B${at}`, fine);
  run(10);
  expect(told.slice(1)).toEqual([
    'cleared device-offline 1000',
    ...['B0', 'B1', 'B2'].map((sn) => `raised device-offline ${sn}`),
  ]);
});

test('nineteen devices get alarms of their own', () => {
  const { run, told } = begin(fleet(19, offline));
  run(61);
  expect(told).toHaveLength(19);
});

test('after a restart the common alarm stays active until the hub has reached the devices', () => {
  const devices = fleet(30, offline);
  const { run, told, db } = begin(devices);
  run(61);
  expect(told).toHaveLength(1);
  for (const sn of devices.keys()) devices.set(sn, { ...fine, connection: 'connecting' });
  const later = begin(devices, db);
  later.run(30);
  expect(later.active()).toEqual([['device-offline', undefined]]);
  for (const sn of devices.keys()) devices.set(sn, fine);
  later.run(10);
  expect(later.told).toEqual(['cleared device-offline 30']);
});

test('a viewer sees the alarms of visible devices only, and common ones without the number of devices', () => {
  const few = begin(new Map([...fleet(2, offline), ...fleet(1, offline, 'V')]));
  few.run(61);
  expect(few.seenBy(admin).map(({ device }) => device)).toEqual(['B0', 'B1', 'V0']);
  expect(few.seenBy(viewer).map(({ device }) => device)).toEqual(['V0']);
  expect(few.seenBy(sessionOf({ type: 4, permission: maskOf('channelView') }))).toEqual([]);

  const many = begin(new Map([...fleet(30, offline), ...fleet(2, offline, 'V')]));
  many.run(61);
  expect(many.seenBy(admin)).toMatchObject([{ kind: 'device-offline', peak: 32 }]);
  expect(many.seenBy(viewer)).toMatchObject([{ kind: 'device-offline', peak: 20 }]);
  const others = begin(fleet(30, offline));
  others.run(61);
  expect(others.seenBy(viewer)).toEqual([]);
});

test('a viewer gets a common alarm once it is about a visible device, also while its number is the same', async () => {
  const devices = new Map([...fleet(30, offline), ...fleet(1, fine, 'V')]);
  const { run, monitor } = begin(devices);
  run(61);
  const read = readTopic<ObjectsEvent<Alarm>>(monitor.topic, viewer);
  expect(read.messages[0]?.data.changed).toEqual([]);
  devices.set('B0', fine);
  devices.set('V0', offline);
  run(61);
  await until(() => read.changes().length > 0);
  expect(read.changes()).toMatchObject([{ changed: [{ kind: 'device-offline', peak: 20 }] }]);
  read.close();
});

test('only who may control a visible device acknowledges and mutes its alarms', () => {
  const { run, monitor, acts } = begin(new Map([...fleet(1, offline), ...fleet(1, offline, 'V')]));
  run(61);
  const [hidden, visible] = monitor.active();
  const ids = [hidden!.id, visible!.id];
  acts.acknowledge(caller(viewer), { id: ids });
  expect(monitor.active().map(({ acknowledged }) => acknowledged)).toEqual([undefined, undefined]);
  expect(() => acts.mute(caller(viewer), { id: visible!.id })).toThrow();
  acts.acknowledge(caller(operator), { id: ids });
  expect(monitor.active().map(({ acknowledged }) => acknowledged?.by)).toEqual([undefined, 'ann']);
  expect(() => acts.mute(caller(operator), { id: hidden!.id })).toThrow();
  acts.mute(caller(operator), { id: visible!.id });
  expect(monitor.active()[1]).toMatchObject({ 'muted-until': 0 });
});

test('a muted device mutes the alarms that it raises meanwhile; muting the hub does not', () => {
  const devices = fleet(1, fine, 'V');
  const { run, monitor, acts } = begin(devices);
  acts.mute(caller(admin), { channel: 0, minutes: 10 });
  expect(() => acts.mute(caller(admin), { channel: 0, device: 'V0' })).toThrow();
  devices.set('V0', offline);
  run(61);
  expect(monitor.active()[0]).not.toHaveProperty('muted-until');
  acts.mute(caller(operator), { device: 'V0', minutes: 10 });
  expect(monitor.active()).toMatchObject([{ 'muted-until': expect.any(Number) }]);
  devices.set('V0', { ...fine, warnings: 1 });
  run(61);
  expect(monitor.active()).toMatchObject([{ kind: 'device-no-signal', 'muted-until': expect.any(Number) }]);
  acts.unmute(caller(operator), { device: 'V0' });
  expect(monitor.active()[0]).not.toHaveProperty('muted-until');
});
