import { beforeEach, expect, test } from 'bun:test';
import { fillDatabase } from '../../../tests/support/full-database.ts';
import { readTopic } from '../../../tests/support/topic-reader.ts';
import { until } from '../../../tests/support/until.ts';
import type { AlarmRules } from '../../contract/alarm-fields.ts';
import { defaultAlarmRules, defaultDeviceAlarmRules } from '../../contract/alarm-kinds.ts';
import type { Alarm } from '../../contract/alarms.ts';
import type { ObjectsEvent } from '../../contract/events.ts';
import { groupTypes } from '../../contract/permission.ts';
import { createLog } from '../../lib/log.ts';
import type { MediaStatus } from '../../media/port.ts';
import type { ChannelStatus, InputStatus } from '../../media/protocol/reported.ts';
import type { Database } from '../../store/database.ts';
import type { Space } from '../../store/folder-space.ts';
import { memoryDatabase } from '../../store/memory-database-for-test.ts';
import { channels, operationLog } from '../../store/schema.ts';
import { createAudit } from '../logs/audit.ts';
import { createAlarmActs } from './acts.ts';
import { createAlarmMonitor, viewAlarm } from './monitor.ts';
import { type AlarmRow, insertAlarm, listAlarms } from './store.ts';

const flowing: InputStatus = {
  ...{ conn: 10, state: 2, kbps: 6000, bytes: 1_000_000, since: 5, protocol: 'rtmp', peer: '', reconnects: 0 },
  quiet: { video: 0, audio: 0 },
};
const everything = { start: 0, count: 100, isActive: undefined, channelId: undefined, severity: undefined };

let db: Database;
let clock: number;
let input: InputStatus;
let engine: MediaStatus['engine'];
let enabled: boolean;
let rules: AlarmRules;
let notified: string[];
let space: Space;
let parts: MediaStatus['parts'];
let replaced: MediaStatus['replaced'];
beforeEach(() => {
  db = memoryDatabase();
  clock = 0;
  input = flowing;
  engine = 'running';
  enabled = true;
  rules = defaultAlarmRules;
  notified = [];
  space = { freeBytes: 2 ** 40, isFull: false };
  parts = [];
  replaced = undefined;
});

function begin(channelCount = 1) {
  const channels = () =>
    Array.from({ length: channelCount }, (_, index) => ({
      ...{ id: index + 1, name: `Studio ${index + 1}`, enabled, input: undefined, backup: undefined, outputs: [] },
    }));
  const now = () => 1_700_000_000_000 + clock;
  const status = (id: number): ChannelStatus => ({ id, input, outputs: [], clients: [] });
  const monitor = createAlarmMonitor({
    ...{ db, channels, devices: () => [], log: createLog('error', () => {}), space: () => space },
    now,
    uptime: () => clock,
    media: () => ({
      ...{
        engine,
        reason: '',
        isFailing: false,
        pid: 1,
        memoryBytes: 0,
        rings: { bytes: 0, limit: 0 },
        parts,
        applied: true,
        replaced,
      },
      channels: new Map(engine === 'running' ? channels().map(({ id }) => [id, status(id)]) : []),
    }),
    rules: () => rules,
    deviceRules: () => defaultDeviceAlarmRules,
    canSee: () => true,
    mutedUntil: (of) => acts.mutedUntil(of),
    tell: (_, event, alarm) => notified.push(`${event} ${alarm.kind} ${alarm.name}`),
    notified: () => {},
  });
  const audit = createAudit(now);
  const acts = createAlarmActs({ db, audit, now, monitor: () => monitor, canAct: () => true, deviceName: () => '' });
  const run = (seconds: number, each: (second: number) => void = () => {}) => {
    for (let second = 0; second < seconds; second++) {
      clock += 1000;
      each(second);
      monitor.look();
    }
  };
  return { monitor, acts, run, now };
}

type Monitor = ReturnType<typeof begin>['monitor'];
function listen({ topic }: Monitor) {
  const read = readTopic<ObjectsEvent<Alarm>>(topic);
  return { read, news: () => read.changes().flatMap(({ changed }) => changed) };
}
function begins(monitor: Monitor): readonly Alarm[] | undefined {
  const { read } = listen(monitor);
  read.close();
  return read.messages[0]?.data.changed;
}

const stored = (): Alarm['kind'][] => listAlarms(db, everything).list.map(({ kind }) => kind);
const open = () => listAlarms(db, { ...everything, isActive: true }).list;

test('missing audio raises an alarm after its delay, and clears shortly after audio returns', async () => {
  const { monitor, run } = begin();
  const { news } = listen(monitor);
  run(20);
  expect(notified).toEqual([]);
  run(8, (second) => (input = { ...flowing, quiet: { video: 0, audio: second } }));
  expect(notified).toEqual(['raised no-audio Studio 1']);
  await until(() => news().length === 1);
  expect(begins(monitor)).toEqual(news());
  input = flowing;
  run(2);
  expect(notified).toHaveLength(1);
  run(3);
  expect(notified).toEqual(['raised no-audio Studio 1', 'cleared no-audio Studio 1']);
  await until(() => news().length > 1);
  expect(news().at(-1)).toMatchObject({ kind: 'no-audio', threshold: 5 });
  expect(news().at(-1)!.cleared).toBeGreaterThan(news()[0]!.raised);
  expect(news().at(-1)!.peak).toBeGreaterThanOrEqual(8);
  expect(begins(monitor)).toEqual([]);
  expect(open()).toEqual([]);
});

test('a short recurring fault raises no alarm, and an interrupted one is one alarm', () => {
  const { run } = begin();
  const lost = { ...flowing, conn: 2, since: 0, kbps: 0 };
  run(60, (second) => (input = second % 6 < 3 ? lost : flowing));
  expect(notified).toEqual([]);
  input = lost;
  run(11);
  run(60, (second) => (input = second % 6 < 4 ? lost : flowing));
  expect(notified).toEqual(['raised no-input Studio 1']);
});

test('no alarm is raised in the first seconds of the engine', () => {
  const { run } = begin();
  input = { ...flowing, quiet: { video: 0, audio: 60 } };
  run(5);
  expect(notified).toEqual([]);
  run(2);
  expect(notified).toEqual(['raised no-audio Studio 1']);
});

test('an engine that is down is one alarm of the hub, and the alarms of channels wait', () => {
  const { run } = begin(8);
  run(10);
  input = { ...flowing, quiet: { video: 0, audio: 9 } };
  run(1);
  expect(notified).toHaveLength(8);
  engine = 'down';
  run(30);
  expect(notified.slice(8)).toEqual(['raised engine-down ']);
  expect(open()).toHaveLength(9);
  engine = 'running';
  input = flowing;
  run(5);
  expect(notified.filter((line) => line.startsWith('cleared'))).toHaveLength(9);
});

test('switching off a channel or a rule clears its alarms', () => {
  const { run } = begin(2);
  run(10);
  input = { ...flowing, quiet: { video: 0, audio: 9 } };
  run(1);
  rules = { ...rules, 'no-audio': { enable: false, seconds: 5 } };
  run(1);
  expect(open()).toEqual([]);
  rules = defaultAlarmRules;
  run(1);
  expect(open()).toHaveLength(2);
  enabled = false;
  run(1);
  expect(open()).toEqual([]);
});

test('after a restart an alarm continues, once, and is cleared when its cause is gone', () => {
  const first = begin();
  first.run(10);
  input = { ...flowing, quiet: { video: 0, audio: 9 } };
  first.run(1);
  const second = begin();
  expect(begins(second.monitor)).toHaveLength(1);
  second.run(20, (at) => (input = { ...flowing, quiet: { video: 0, audio: 10 + at } }));
  expect(stored()).toEqual(['no-audio']);
  input = flowing;
  const third = begin();
  third.run(6);
  expect(open()).toEqual([]);
  expect(notified.filter((line) => line.startsWith('raised'))).toHaveLength(1);
});

test('the worst value of an alarm is kept', () => {
  const { run } = begin();
  rules = { ...rules, 'bitrate-below': { enable: true, kbps: 1000, seconds: 3 } };
  run(10);
  input = { ...flowing, kbps: 800 };
  run(5);
  input = { ...flowing, kbps: 200 };
  run(15);
  input = flowing;
  run(5);
  expect(listAlarms(db, everything).list).toMatchObject([{ kind: 'bitrate-below', threshold: 1000, peak: 200 }]);
});

test('an engine that was replaced raises an alarm with its cause, until the next one has run for a minute', () => {
  const { run } = begin();
  run(10);
  replaced = { cause: 'hung', at: clock + 500 };
  run(1);
  expect(notified).toEqual(['raised engine-replaced ']);
  expect(open()).toMatchObject([{ kind: 'engine-replaced', reason: 'hung', channelId: 0 }]);
  run(58);
  expect(open()).toHaveLength(1);
  run(6);
  expect(notified).toEqual(['raised engine-replaced ', 'cleared engine-replaced ']);
});

test('running out of descriptors is an alarm while the engine refuses players', () => {
  const { run } = begin();
  parts = [{ name: 'descriptors', ok: false, reason: 'fewLeft', message: '' }];
  run(1);
  parts = [];
  run(5);
  expect(notified).toEqual(['raised few-descriptors ', 'cleared few-descriptors ']);
});

const megabytes = (count: number): Space => ({ freeBytes: count * 2 ** 20, isFull: false });

test('low disk space is an alarm with the lowest value', () => {
  const { run } = begin();
  space = megabytes(104);
  run(20);
  expect(notified).toEqual([]);
  space = megabytes(80);
  run(1);
  space = megabytes(12);
  run(15);
  space = megabytes(104);
  run(20);
  expect(notified).toEqual(['raised no-space ']);
  space = megabytes(200);
  run(5);
  expect(listAlarms(db, everything).list).toMatchObject([{ kind: 'no-space', threshold: 100, peak: 12 }]);
  expect(open()).toEqual([]);
});

test('alarms that cannot be stored for lack of space are sent at once, keep their number and are stored later', async () => {
  const { monitor, run } = begin();
  run(10);
  const old: Omit<AlarmRow, 'id'> = {
    ...{ kind: 'no-audio', reason: '', channelId: 9, channelName: 'Old', outputId: 0, outputName: '' },
    ...{ threshold: 1, peak: 1, raisedAt: 1, clearedAt: 2, seenBy: '', seenAt: 0, mutedUntil: null, device: '' },
  };
  let id = 0;
  const makeRoom = fillDatabase(db, () => insertAlarm(db, { ...old, id: ++id }));
  const later = begin();
  const { news } = listen(later.monitor);
  space = { freeBytes: 0, isFull: true };
  later.run(1);
  await until(() => news().length > 0);
  expect(news()).toMatchObject([{ kind: 'no-space', id, cleared: 0 }]);
  expect(later.monitor.unsaved()).toEqual(news());
  expect(monitor.unsaved()).toEqual([]);
  expect([open(), notified]).toEqual([[], []]);
  makeRoom();
  space = megabytes(500);
  later.run(1);
  expect(open()).toMatchObject([{ id, kind: 'no-space' }]);
  later.run(4);
  expect(notified).toEqual(['raised no-space ', 'cleared no-space ']);
  await until(() => news().length > 1);
  expect(news().map((alarm) => alarm.id)).toEqual([id, id]);
  expect(later.monitor.unsaved()).toEqual([]);
});

const callerNamed = (name: string) => ({
  actor: { name, ip: '192.0.2.1' },
  session: { user: { id: 1, name, groupId: 1, groupName: '', permission: 0, type: groupTypes.admin }, idHash: '' },
});
const ann = callerNamed('Ann');
const silent = (second: number) => (input = { ...flowing, quiet: { video: 0, audio: second } });
const view = () => listAlarms(db, everything).list.map(viewAlarm);

test('an alarm that could not be stored for lack of space can be acknowledged', () => {
  const old: Omit<AlarmRow, 'id'> = {
    ...{ kind: 'no-audio', reason: '', channelId: 9, channelName: 'Old', outputId: 0, outputName: '' },
    ...{ threshold: 1, peak: 1, raisedAt: 1, clearedAt: 2, seenBy: '', seenAt: 0, mutedUntil: null, device: '' },
  };
  let id = 0;
  const makeRoom = fillDatabase(db, () => insertAlarm(db, { ...old, id: ++id }));
  const { monitor, acts, run, now } = begin();
  space = { freeBytes: 0, isFull: true };
  run(1);
  expect(monitor.unsaved()).toMatchObject([{ id, kind: 'no-space' }]);
  makeRoom();
  acts.acknowledge(ann, { id });
  expect(monitor.unsaved()).toMatchObject([{ id, acknowledged: { by: 'Ann' } }]);
  run(1);
  expect(monitor.unsaved()).toEqual([]);
  expect(begins(begin().monitor)).toMatchObject([{ id, acknowledged: { by: 'Ann', time: now() - 1000 } }]);
});

test('an alarm is acknowledged with name and time, which a restart keeps and its end shows', async () => {
  const { monitor, acts, run, now } = begin();
  run(20);
  run(8, silent);
  const { news } = listen(monitor);
  const [{ id } = { id: 0 }] = view();
  acts.acknowledge(ann, { id: [id, 99] });
  const acknowledged = { by: 'Ann', time: now() };
  await until(() => news().length === 1);
  expect(news()).toMatchObject([{ id, acknowledged }]);
  clock += 1000;
  acts.acknowledge(callerNamed('Bob'), { id });
  expect(view()).toMatchObject([{ acknowledged }]);
  const later = begin();
  expect(begins(later.monitor)).toMatchObject([{ id, acknowledged }]);
  input = flowing;
  later.run(20);
  expect(view()).toMatchObject([{ cleared: expect.any(Number), acknowledged }]);
  expect(db.select().from(operationLog).all()).toMatchObject([{ action: 'alarm.acknowledge', user: 'Ann' }]);
});

test('one alarm is muted until it is cleared, and unmuted', () => {
  const { acts, run } = begin();
  run(20);
  run(8, silent);
  const [{ id } = { id: 0 }] = view();
  acts.mute(ann, { id });
  expect(view()).toMatchObject([{ 'muted-until': 0 }]);
  acts.unmute(ann, { id });
  expect(view()[0]).not.toHaveProperty('muted-until');
  expect(() => acts.mute(ann, { id: 99 })).toThrow();
  expect(() => acts.mute(ann, { id, channel: 1 })).toThrow();
  expect(() => acts.mute(ann, {})).toThrow();
  expect(db.select().from(operationLog).all()).toMatchObject([{ action: 'alarm.mute' }, { action: 'alarm.unmute' }]);
});

test('a muted channel mutes the alarms that it raises meanwhile, also after a restart, and not later ones', () => {
  const settings = { enabled: true, allowRtmp: true, allowSrt: true, allowNdiHx: false, preferredProtocol: 1 };
  const row = { ...settings, id: 1, name: 'Studio 1', playKey: 'play', pushKey: 'push', createdAt: 0 };
  db.insert(channels).values(row).run();
  const { acts, now } = begin();
  acts.mute(ann, { channel: 1, minutes: 1 });
  const end = now() + 60_000;
  const later = begin(2);
  later.run(20);
  later.run(8, silent);
  expect(view().map((alarm) => [alarm.channel, alarm['muted-until']])).toEqual([
    [2, undefined],
    [1, end],
  ]);
  input = flowing;
  later.run(60);
  later.run(8, silent);
  expect(view()[0]).not.toHaveProperty('muted-until');
});
