import { afterEach, expect, test } from 'bun:test';
import { until } from '../../../tests/support/until.ts';
import type { MailAttempt } from '../../contract/alarms.ts';
import { createLog } from '../../lib/log.ts';
import type { Database } from '../../store/database.ts';
import { memoryDatabase } from '../../store/memory-database-for-test.ts';
import { type AlarmMailer, createAlarmMailer } from './mail.ts';
import { alarmMail, maxListed, testMail } from './mail-text.ts';
import { viewAlarm } from './monitor.ts';
import type { Mail, MailServer } from './send-mail.ts';
import { type AlarmRow, insertAlarm, updateAlarm } from './store.ts';

const english = { language: 'auto', hubName: '', consoleUrl: 'https://hub.example:8443/#/alarms' } as const;
const settings: MailServer = {
  ...{ enabled: true, host: 'mail.example', port: 25, encryption: 'none', user: '', password: '' },
  ...{ from: 'hub@example.org', to: ['noc@example.org', 'ann@example.org'] },
};
const row = (id: number, change: Partial<AlarmRow> = {}): AlarmRow => ({
  ...{ id, kind: 'no-audio', reason: '', threshold: 5, peak: 5, channelId: 7, channelName: `Studio ${id}` },
  ...{ outputId: 0, outputName: '', raisedAt: 1_000_000, clearedAt: null, seenBy: '', seenAt: 0, mutedUntil: null },
  device: '',
  ...change,
});
const accepted: MailAttempt = { ok: true, code: 0 };

let open: AlarmMailer[] = [];
afterEach(() => {
  for (const mailer of open) mailer.close();
  open = [];
});

/** A mailer whose server takes its answers from `answers`, then accepts. */
function setUp({ db = memoryDatabase(), everyMs = 0, server = settings, clock = { now: 5_000_000 } } = {}) {
  const sent: Mail[] = [];
  const answers: MailAttempt[] = [];
  const lines: string[] = [];
  const world = { db, sent, answers, lines, clock, server };
  const mailer = createAlarmMailer({
    ...{ db, log: createLog('info', (line) => lines.push(line)), now: () => clock.now },
    ...{ server: () => world.server, text: () => english, room: 1000 },
    times: { everyMs, firstRetryMs: 1, maxRetryMs: 4 },
    async send(_, mail) {
      sent.push(mail);
      return answers.shift() ?? accepted;
    },
  });
  open.push(mailer);
  return { ...world, mailer, world };
}

const tell = (event: 'raised' | 'cleared', mailer: AlarmMailer, db: Database, alarm: AlarmRow) => {
  mailer.add(db, JSON.stringify({ event, time: 0, alarm: viewAlarm(alarm) }));
  mailer.wake({ isNewTarget: false });
};
/** As the monitor does. */
const raise = (mailer: AlarmMailer, db: Database, alarm: AlarmRow) => {
  insertAlarm(db, alarm);
  tell('raised', mailer, db, alarm);
};
const clear = (mailer: AlarmMailer, db: Database, alarm: AlarmRow) => {
  const ended = { ...alarm, clearedAt: 2_000_000 };
  updateAlarm(db, alarm.id, { clearedAt: ended.clearedAt });
  tell('cleared', mailer, db, ended);
};

test('an alarm is mailed once, with channel, time and a link', async () => {
  const { db, mailer, sent } = setUp();
  raise(mailer, db, row(1));
  await until(() => sent.length === 1);
  raise(mailer, db, row(2));
  await until(() => sent.length === 2);
  expect(sent[1]?.subject).toBe('Signalbox: No audio – Studio 2');
  expect(sent[0]?.subject).toBe('Signalbox: No audio – Studio 1');
  expect(sent[0]?.text).toMatch(/^Alarm: No audio\nChannel: Studio 1\nRaised: 01\/01\/1970, \d\d:16:40 \S+\n\n/);
  expect(sent[0]?.text).toEndWith('Alarms in the console: https://hub.example:8443/#/alarms\n');
});

test('what is raised soon after a mail comes in one digest once the time is over', async () => {
  const { db, mailer, sent, clock } = setUp({ everyMs: 30 });
  raise(mailer, db, row(1));
  await until(() => sent.length === 1);
  for (const id of [2, 3, 4]) {
    raise(mailer, db, row(id));
  }
  await Promise.resolve();
  expect(sent).toHaveLength(1);
  clock.now += 30;
  await until(() => sent.length === 2);
  expect(sent[1]?.subject).toBe('Signalbox: 3 alarms');
  for (const id of [2, 3, 4]) expect(sent[1]?.text).toContain(`Studio ${id}\n`);
  expect(sent[1]?.text).not.toContain('Studio 1');
});

test('a mail that was not accepted is tried again with what was raised meanwhile', async () => {
  const { db, mailer, sent, answers, lines } = setUp();
  const refused = { ok: false, code: 451, reason: 'notAccepted' } as const;
  answers.push(refused, refused);
  raise(mailer, db, row(1));
  await until(() => sent.length === 1);
  raise(mailer, db, row(2));
  await until(() => sent.length === 3);
  expect(sent[2]?.subject).toBe('Signalbox: 2 alarms');
  expect(lines.filter((line) => line.includes('alarms were not delivered'))).toHaveLength(1);
});

test('refused recipients do not make the others get a mail twice', async () => {
  const { db, mailer, sent, answers } = setUp();
  answers.push({ ok: false, code: 0, reason: 'recipientRefused', refused: ['ann@example.org'] });
  raise(mailer, db, row(1));
  await until(() => sent.length === 1);
  raise(mailer, db, row(2));
  await until(() => sent.length === 2);
  expect(sent[1]?.subject).toBe('Signalbox: No audio – Studio 2');
});

test('muted alarms are not mailed, also if they were muted while they waited', async () => {
  const { db, mailer, sent, clock } = setUp({ everyMs: 30 });
  raise(mailer, db, row(1));
  await until(() => sent.length === 1);
  raise(mailer, db, row(2, { mutedUntil: 0 }));
  raise(mailer, db, row(3, { mutedUntil: clock.now + 1000 }));
  raise(mailer, db, row(4, { mutedUntil: clock.now - 1000 }));
  raise(mailer, db, row(5));
  updateAlarm(db, 5, { mutedUntil: 0 });
  clock.now += 30;
  await until(() => sent.length === 2);
  expect(sent[1]?.subject).toBe('Signalbox: No audio – Studio 4');
});

test('what was raised while mails were off, or waited when they were switched off, is not mailed later', async () => {
  const { db, mailer, sent, answers, world } = setUp({ server: { ...settings, enabled: false } });
  raise(mailer, db, row(1));
  world.server = settings;
  answers.push({ ok: false, code: 451, reason: 'notAccepted' });
  raise(mailer, db, row(2));
  await until(() => sent.length === 1);
  world.server = { ...settings, enabled: false };
  mailer.wake({ isNewTarget: true });
  await until(() => mailer.state().waiting === 0);
  world.server = settings;
  mailer.wake({ isNewTarget: true });
  raise(mailer, db, row(3));
  await until(() => sent.length === 2);
  expect(sent.map(({ subject }) => subject)).toEqual([
    'Signalbox: No audio – Studio 2',
    'Signalbox: No audio – Studio 3',
  ]);
});

test('the end of an alarm is mailed; one that ends before its mail is told once', async () => {
  const { db, mailer, sent, clock } = setUp({ everyMs: 30 });
  const [first, second, third] = [row(1), row(2), row(3)];
  raise(mailer, db, first);
  await until(() => sent.length === 1);
  clear(mailer, db, first);
  clock.now += 30;
  await until(() => sent.length === 2);
  expect(sent[1]?.subject).toBe('Signalbox: Cleared: No audio – Studio 1');
  expect(sent[1]?.text).toMatch(/\nRaised: .+\nCleared: .+\n/);
  for (const one of [second, third]) raise(mailer, db, one);
  clear(mailer, db, third);
  clock.now += 30;
  await until(() => sent.length === 3);
  expect(sent[2]?.subject).toBe('Signalbox: 2 alarms, 1 cleared');
  expect(sent[2]?.text.match(/Studio 3/g)).toHaveLength(1);
  clear(mailer, db, second);
  clock.now += 30;
  await until(() => sent.length === 4);
  expect(sent[3]?.subject).toBe('Signalbox: Cleared: No audio – Studio 2');
});

test('the state has the outcome of the last attempt, and when a mail was last accepted', async () => {
  const { db, mailer, sent, answers, clock } = setUp();
  expect(mailer.state()).toEqual({ waiting: 0, dropped: 0 });
  raise(mailer, db, row(1));
  await until(() => mailer.state().waiting === 0);
  const time = clock.now;
  expect(mailer.state()).toMatchObject({ last: { ok: true, code: 0, time }, 'last-accepted': time });
  clock.now += 1000;
  answers.push({ ok: false, code: 535, reason: 'authRefused' });
  raise(mailer, db, row(2));
  await until(() => sent.length === 2);
  expect(mailer.state()).toMatchObject({
    last: { ok: false, reason: 'authRefused' },
    'last-accepted': time,
    waiting: 1,
  });
  mailer.reset(db);
  expect(mailer.state()).not.toHaveProperty('last');
});

test('what was accepted is not sent again while the data folder is full', async () => {
  const { db, mailer, sent, lines } = setUp();
  db.$client.run("CREATE TRIGGER full BEFORE DELETE ON alarm_deliveries BEGIN SELECT RAISE(ABORT, 'full'); END");
  raise(mailer, db, row(1));
  await until(() => lines.some((line) => line.includes('can’t be delivered')));
  db.$client.run('DROP TRIGGER full');
  raise(mailer, db, row(2));
  await until(() => mailer.state().waiting === 0);
  expect(sent.map(({ subject }) => subject)).toEqual([
    'Signalbox: No audio – Studio 1',
    'Signalbox: No audio – Studio 2',
  ]);
});

test('an alarm that waits is mailed after a restart, and no sooner than a minute after the last mail', async () => {
  const before = setUp({ everyMs: 60_000 });
  raise(before.mailer, before.db, row(1));
  await until(() => before.sent.length === 1);
  raise(before.mailer, before.db, row(2));
  before.mailer.close();
  const tooSoon = setUp({ db: before.db, everyMs: 60_000, clock: before.clock });
  tooSoon.mailer.wake({ isNewTarget: false });
  await Promise.resolve();
  expect(tooSoon.sent).toEqual([]);
  tooSoon.mailer.close();
  before.clock.now += 60_000;
  const after = setUp({ db: before.db, everyMs: 60_000, clock: before.clock });
  after.mailer.wake({ isNewTarget: false });
  await until(() => after.sent.length === 1);
  expect(after.sent[0]?.subject).toBe('Signalbox: No audio – Studio 2');
});

test('a test needs server, sender and recipients, and reports the result', async () => {
  const { mailer, world, answers, sent } = setUp({ server: { ...settings, enabled: false, to: [] } });
  expect(mailer.test()).rejects.toMatchObject({ result: 'wrongState' });
  world.server = { ...settings, enabled: false };
  answers.push({ ok: false, code: 535, reason: 'authRefused' });
  expect(await mailer.test()).toEqual({ ok: false, code: 535, reason: 'authRefused' });
  expect(sent[0]?.subject).toBe('Signalbox: Test mail');
});

test('mails of a hub with a name begin with it', () => {
  expect(testMail({ ...english, hubName: 'North OB' }).subject).toBe('North OB: Test mail');
});

test('a long digest lists the first alarms and counts the others', () => {
  const many = Array.from({ length: maxListed + 20 }, (_, index) => viewAlarm(row(index + 1)));
  const { subject, text } = alarmMail(many, { ...english, consoleUrl: undefined });
  expect(subject).toBe('Signalbox: 120 alarms');
  expect(text.match(/^Channel: /gm)).toHaveLength(maxListed);
  expect(text).toEndWith('Further alarms: 20\n');
});

test('a hub whose language is Chinese writes Chinese; the hub itself and an output have names', () => {
  const chinese = { ...english, language: 'zh' } as const;
  const ofHub = viewAlarm(row(1, { kind: 'engine-down', channelId: 0, channelName: '' }));
  expect(alarmMail([ofHub], chinese).subject).toBe('Signalbox: 媒体引擎停止 – 本机');
  const ofOutput = viewAlarm(row(1, { kind: 'output-failed', outputId: 3, outputName: 'CDN', clearedAt: 2_000_000 }));
  expect(alarmMail([ofOutput], chinese).text).toMatch(
    /告警：输出失败\n通道：Studio 1\n输出：CDN\n触发时间：.+\n解除时间：/,
  );
  expect(testMail(chinese).text).toContain('在控制台查看告警：https://hub.example:8443/#/alarms');
});

test('a mail names the device with its serial number, and says how many have the same fault', () => {
  const of = { kind: 'device-offline', channelId: 0, threshold: 60, peak: 60 } as const;
  const one = viewAlarm(row(1, { ...of, channelName: 'Roof', device: 'B313220914001' }));
  const many = viewAlarm(row(2, { ...of, channelName: '', threshold: 20, peak: 950 }));
  expect(alarmMail([one], english)).toMatchObject({
    subject: 'Signalbox: Device offline – Roof',
    text: expect.stringContaining('Device: Roof (B313220914001)\n'),
  });
  expect(alarmMail([many], english)).toMatchObject({
    subject: 'Signalbox: Device offline – 950 devices',
    text: expect.stringContaining('Device: 950 devices\n'),
  });
  expect(alarmMail([many], { ...english, language: 'zh' }).subject).toBe('Signalbox: 设备离线 – 950 台设备');
});
