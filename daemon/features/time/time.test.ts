import { describe, expect, test } from 'bun:test';
import { MissingPart } from '../../appliance/missing-part.ts';
import { createTimeDouble } from '../../appliance/time/double-for-test.ts';
import { HostName, TimeChange } from '../../contract/time-fields.ts';
import { memoryDatabase } from '../../store/memory-database-for-test.ts';
import { operationLog } from '../../store/schema.ts';
import { createAudit } from '../logs/audit.ts';
import { createTimeService } from './service.ts';

const actor = { name: 'Admin', ip: '192.0.2.1' };
const by = { user: 'Admin', address: '192.0.2.1' };

function setup() {
  const db = memoryDatabase();
  const double = createTimeDouble();
  const zones: string[] = [];
  const time = createTimeService({
    ...{ db, audit: createAudit(Date.now), time: double.port, now: () => 1_790_000_000_000 },
    onZone: (zone) => zones.push(zone),
  });
  const log = () =>
    db
      .select()
      .from(operationLog)
      .all()
      .map(({ action, detail }) => `${action} ${detail}`);
  return { time, double, zones, log };
}

test('the clock is shown with its servers, their state and the zones of the system', async () => {
  const { time } = setup();
  await time.set(actor, { ntp: { enable: true, servers: ['good.example', 'dead.example'] } });
  expect(await time.get()).toEqual({
    ...{ now: 1_790_000_000_000, ntp: { enable: true, servers: ['good.example', 'dead.example'] }, zone: 'Etc/UTC' },
    ...{ state: 'synchronized', 'offset-ms': 0.42 },
    sources: [
      { name: 'good.example', state: 'selected', stratum: 2, 'offset-ms': 0.5 },
      { name: 'dead.example', state: 'unreachable', stratum: 0 },
    ],
    zones: ['America/New_York', 'Asia/Shanghai', 'Etc/UTC', 'Europe/Berlin'],
    ...{ missing: [], revision: expect.any(Number) },
  });
});

test('a change is made with the name of its user, and recorded', async () => {
  const { time, double, zones, log } = setup();
  const first = await time.set(actor, { zone: 'Europe/Berlin' });
  const date = Date.UTC(2026, 4, 1, 12);
  const next = await time.set(actor, { ntp: { enable: false, servers: ['good.example'] }, date, revision: first });
  expect(next).toBeGreaterThan(first);
  await time.setHostName(actor, 'studio-2');
  expect(double.asked).toEqual([
    { what: { zone: 'Europe/Berlin' }, by },
    { what: { ntp: { enabled: false, servers: ['good.example'] } }, by },
    { what: { at: date }, by },
    { what: { name: 'studio-2' }, by },
  ]);
  expect(zones).toEqual(['Europe/Berlin']);
  expect(log()).toEqual([
    'time.set time: time zone Europe/Berlin',
    'time.set time: NTP off, clock 2026-05-01T12:00:00.000Z',
    'system.hostName name studio-2',
  ]);
  await expect(time.set(actor, { zone: 'Asia/Shanghai', revision: first })).rejects.toMatchObject({
    result: 'stateChanged',
  });
});

test('the date is not set while NTP is on, nor a zone that the system does not have', async () => {
  const { time, double, log } = setup();
  const date = Date.UTC(2026, 4, 1, 12);
  await expect(time.set(actor, { date })).rejects.toMatchObject({ fields: [{ path: 'date', rule: 'ntpOn' }] });
  await expect(time.set(actor, { zone: 'Mars/Olympus' })).rejects.toMatchObject({
    fields: [{ path: 'zone', rule: 'exists' }],
  });
  expect([double.asked, log()]).toEqual([[], []]);
});

test('what is missing is named: the rest is shown, and a change says which part it needs', async () => {
  const { time, double, log } = setup();
  double.fault = new MissingPart('chrony', 'absent', 'it is not installed');
  expect(await time.get()).toMatchObject({
    ...{ state: 'unknown', sources: [], zone: 'Etc/UTC', missing: [{ part: 'chrony', fault: 'absent' }] },
  });
  double.refusal = new MissingPart('helper', 'absent', 'it does not run');
  await expect(time.set(actor, { zone: 'Europe/Berlin' })).rejects.toMatchObject({
    ...{ result: 'unsupported', params: { part: 'helper', fault: 'absent' } },
  });
  expect(log()).toEqual([]);
});

describe('S10: an NTP server', () => {
  const faultsOf = (servers: string[], enable = true) =>
    TimeChange.safeParse({ ntp: { enable, servers } }).error?.issues.map(({ path, message }) => [
      path.join('.'),
      message,
    ]);

  test.each([
    ...[
      '$(reboot)',
      '`reboot`',
      '-x',
      '--help',
      'a;b',
      'a b',
      'a\nb',
      'a\0b',
      'a|b',
      'a&b',
      "a'b",
      'a"b',
      '/etc/passwd',
    ],
    ...[
      '../x',
      'a#b',
      'a_b',
      '.a',
      'a.',
      'a..b',
      '-a.b',
      'a-.b',
      '1.2.3',
      '1.2.3.256',
      'x'.repeat(300),
      `${'a.'.repeat(150)}b`,
    ],
  ])('is refused by its grammar: %j', (server) => {
    expect(faultsOf([server])).toEqual([['ntp.servers.0', 'host']]);
  });

  test('is required while NTP is on, and two differ', () => {
    expect(faultsOf([])).toEqual([['ntp.servers.0', 'required']]);
    expect(faultsOf([], false)).toBeUndefined();
    expect(faultsOf(['Good.example', 'good.example'])).toEqual([['ntp.servers', 'unique']]);
    expect(faultsOf(['a', 'b', 'c'])).toEqual([['ntp.servers', 'tooMany']]);
    expect(faultsOf(['ntp.example.org', '2001:db8::1'])).toBeUndefined();
    expect(faultsOf(['192.0.2.1'])).toBeUndefined();
  });
});

test('a host name is one label', () => {
  for (const name of ['hub', 'hub-1', 'A1', 'x'.repeat(63)]) expect(HostName.safeParse(name).success).toBe(true);
  for (const name of ['', '-hub', 'hub-', 'a.b', 'a b', 'a_b', '127', '$(x)', 'ü', 'x'.repeat(64), 'a\nb']) {
    expect([name, HostName.safeParse(name).success]).toEqual([name, false]);
  }
});
