/** The rules with a clock of the test and devices in memory; a restart of the hub is another service on its database. */
import { describe, expect, test } from 'bun:test';
import { until } from '../../../tests/support/until.ts';
import type { Operation } from '../../contract/logs.ts';
import type { ScheduleConfig } from '../../contract/schedules.ts';
import type { Guarded } from '../../http/object-access.ts';
import { createCurrentSession } from '../../http/principal.ts';
import type { Session } from '../../http/route.ts';
import { HubError } from '../../lib/hub-error.ts';
import { createLog } from '../../lib/log.ts';
import type { Database } from '../../store/database.ts';
import { memoryDatabase } from '../../store/memory-database-for-test.ts';
import { operationLog } from '../../store/schema.ts';
import { timing } from '../../timing.ts';
import { createAudit } from '../logs/audit.ts';
import type { StoredUser } from '../users/service.ts';
import { type TestClock, testClock } from './clock-for-test.ts';
import type { ScheduledDevices } from './deps.ts';
import { createScheduleService, type Editor } from './service.ts';
import { disownSchedules } from './store.ts';

const base = { nick: '', passwordHash: null, signInKey: null, groupId: 2, groupName: '', type: 2, revision: 1 };
const ann: StoredUser = { ...base, id: 2, name: 'ann', permission: 0xffffffff };
const bob: StoredUser = { ...base, id: 4, name: 'bob', permission: 0xffffffff };
const [one, two, three] = ['B313000000001', 'B313000000002', 'B313000000003'] as const;
const guards = new Map<string, Guarded>([one, two, three].map((sn, at) => [sn, { ownerId: at }]));

/** What users may do with each device; by default everything. */
interface World {
  readonly users: StoredUser[];
  /** Sessions of access tokens by their ids. */
  readonly tokens: Map<number, Session>;
  /** Serial numbers that nobody but the administrator sees or controls. */
  readonly hidden: Set<string>;
  readonly uncontrolled: Set<string>;
  /** What was told, in order. */
  readonly told: string[];
  /** Results of devices that refuse. */
  readonly refusals: Map<string, HubError>;
  /** An act waits for this. */
  gate: Promise<void>;
}
const world = (): World => ({
  ...{
    users: [ann, bob],
    tokens: new Map(),
    hidden: new Set(),
    uncontrolled: new Set(),
    told: [],
    refusals: new Map(),
  },
  gate: Promise.resolve(),
});

function serviceOn(db: Database, clock: TestClock, of: World) {
  const snOf = (guard: Guarded) => [...guards].find(([, known]) => known === guard)?.[0] ?? '';
  const access = {
    canSee: (_: Session, guard: Guarded) => !of.hidden.has(snOf(guard)),
    canAct: (_: Session, guard: Guarded) => !of.hidden.has(snOf(guard)) && !of.uncontrolled.has(snOf(guard)),
  };
  const devices: ScheduledDevices = {
    find: (sn) => {
      const guard = guards.get(sn);
      return guard && { name: `Device ${sn.at(-1)}`, guard };
    },
    canEver: (sn, action) => sn !== three || action.startsWith('live'),
    onChange: () => () => {},
    async act([sn = ''], action, _, { actor, objects }) {
      await of.gate;
      const guard = guards.get(sn);
      const mayAct = guard !== undefined && objects.canAct(guard, 'deviceControl');
      const error = mayAct ? of.refusals.get(sn) : new HubError('notPermitted', 'no permission');
      if (error !== undefined) return [{ sn, result: error.result, error }];
      of.told.push(`${actor.name} ${action} ${sn.at(-1)}`);
      return [{ sn, result: 'success' }];
    },
  };
  const service = createScheduleService({
    ...{ db, audit: createAudit(clock.now), log: createLog('error'), access, clock, devices },
    currentSession: createCurrentSession({
      findUser: (id) => of.users.find((user) => user.id === id),
      tokenSession: (id) => of.tokens.get(id) ?? null,
    }),
  });
  const editor = (user: StoredUser): Editor => {
    const session = { user, idHash: '' };
    const objects = {
      canSee: (guard: Guarded) => access.canSee(session, guard),
      canAct: (guard: Guarded) => access.canAct(session, guard),
      visible: () => {
        throw new Error('not used');
      },
    };
    return { actor: { name: user.name, ip: '192.0.2.1' }, session, objects };
  };
  return { service, editor };
}

const config = (more: Partial<ScheduleConfig> = {}): ScheduleConfig => ({
  ...{ name: 'Service', enabled: true, action: 'record', start: '09:00', stop: '10:00', days: [1, 2, 3, 4, 5] },
  ...{ sn: [one, two] },
  ...more,
});

// A Wednesday.
function setUp(at = '2026-07-01T08:00Z', zone = 'UTC') {
  const db = memoryDatabase();
  const clock = testClock(at, zone);
  const of = world();
  const first = serviceOn(db, clock, of);
  first.service.start();
  const log = () =>
    (db.select().from(operationLog).all() as Operation[])
      .filter(({ action }) => action.startsWith('schedule.'))
      .map(({ action, detail, result, user }) => `${user} ${action} ${detail} ${result}`);
  const settled = (id: number, service = first.service) =>
    until(() => service.find(id)?.last?.state !== 'running').then(() => service.find(id)?.last);
  return { db, clock, of, ...first, log, settled };
}
const refused = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    if (error instanceof HubError) return error.result;
    throw error;
  }
  return 'accepted';
};

describe('a schedule', () => {
  test('starts and stops its devices at its times, in the name of its owner, and shows the next run', async () => {
    const { service, editor, clock, of, settled, log } = setUp();
    const id = service.add(editor(ann), config());
    expect(service.view(service.find(id)!).next).toEqual({ part: 'start', time: Date.parse('2026-07-01T09:00Z') });
    clock.to('2026-07-01T08:59:59Z');
    expect(of.told).toEqual([]);
    clock.to('2026-07-01T09:00:10Z');
    expect(await settled(id)).toMatchObject({ part: 'start', state: 'done', done: 2, total: 2 });
    expect(of.told.toSorted()).toEqual(['ann record-start 1', 'ann record-start 2']);
    clock.to('2026-07-01T10:00Z');
    expect(await settled(id)).toMatchObject({ part: 'stop', state: 'done' });
    expect(of.told).toHaveLength(4);
    expect(log().slice(1)).toEqual([
      'ann schedule.start Service: 2/2 devices 0',
      'ann schedule.stop Service: 2/2 devices 0',
    ]);
    expect(service.view(service.find(id)!).next).toEqual({ part: 'start', time: Date.parse('2026-07-02T09:00Z') });
  });

  test('says which devices failed, and why', async () => {
    const { service, editor, clock, of, settled, log } = setUp();
    of.refusals.set(two, new HubError('clientOffline', 'is offline', { params: { reason: 'offline' } }));
    const id = service.add(editor(ann), config());
    clock.to('2026-07-01T09:00Z');
    expect(await settled(id)).toMatchObject({ state: 'done', done: 1, total: 2 });
    expect(service.query(editor(ann), id)).toMatchObject({
      failed: [{ sn: two, name: 'Device 2', fault: { result: 10007, params: { reason: 'offline' } } }],
    });
    expect(log().at(-1)).toBe('ann schedule.start Service: 1/2 devices 10007');
  });

  test('on a date runs once and then has no next run; without runs no timer is left', async () => {
    const { service, editor, clock, of, settled } = setUp();
    const once = config({ days: [], date: '2026-07-01', action: 'live', stop: undefined });
    const id = service.add(editor(ann), once);
    clock.to('2026-07-01T09:00Z');
    await settled(id);
    expect(of.told).toHaveLength(2);
    expect(service.view(service.find(id)!).next).toBeUndefined();
    expect(clock.isArmed()).toBe(false);
  });

  test('that is disabled or deleted does not run, and what was due meanwhile is not made up for', async () => {
    const { service, editor, clock, of } = setUp();
    const id = service.add(editor(ann), config());
    service.set(editor(ann), { id, enabled: false });
    expect(service.view(service.find(id)!).next).toBeUndefined();
    clock.to('2026-07-01T09:03Z');
    service.set(editor(ann), { id, enabled: true });
    expect(service.view(service.find(id)!).next).toMatchObject({ part: 'stop' });
    service.del(editor(ann), [id]);
    clock.to('2026-07-01T12:00Z');
    expect(of.told).toEqual([]);
    expect([...service.rows()]).toEqual([]);
  });

  test('follows the clock when it is set', async () => {
    const { service, editor, clock, of, settled } = setUp();
    const id = service.add(editor(ann), config());
    clock.set('2026-07-01T08:59:30Z');
    clock.to('2026-07-01T09:01Z');
    await settled(id);
    expect(of.told).toHaveLength(2);
    // Set back: what has run does not run again.
    clock.set('2026-07-01T08:58Z');
    clock.to('2026-07-01T09:30Z');
    expect(of.told).toHaveLength(2);
  });

  test('runs again after a clock that was years ahead was corrected', async () => {
    const { service, editor, clock, of, settled } = setUp();
    const id = service.add(editor(ann), config());
    clock.set('2036-07-01T09:00:30Z');
    clock.to('2036-07-01T09:01:30Z');
    await settled(id);
    clock.set('2026-07-01T08:30Z');
    clock.to('2026-07-01T09:01Z');
    await settled(id);
    expect(of.told).toHaveLength(4);
  });

  test('runs in the time zone of the hub, once when the clock shows the time twice', async () => {
    const { service, editor, clock, of, settled } = setUp('2026-10-24T12:00Z', 'Europe/Berlin');
    const id = service.add(editor(ann), config({ start: '02:30', stop: undefined, days: [7] }));
    clock.to('2026-10-25T06:00Z');
    expect(await settled(id)).toMatchObject({ time: Date.parse('2026-10-25T00:30Z') });
    expect(of.told).toHaveLength(2);
  });
});

describe('while the hub was off', () => {
  const restarted = async (at: string, more: Partial<ScheduleConfig> = {}) => {
    const first = setUp();
    const id = first.service.add(first.editor(ann), config(more));
    await first.service.close();
    first.clock.set(at);
    const next = serviceOn(first.db, first.clock, first.of);
    next.service.start();
    // Its devices are not online yet.
    expect(first.of.told).toEqual([]);
    first.clock.to(new Date(Date.parse(at) + timing.schedules.startMs).toISOString());
    return { ...first, ...next, id, last: () => first.settled(id, next.service) };
  };

  test('a run at most five minutes late is made up for', async () => {
    const { last, of } = await restarted('2026-07-01T09:05Z');
    expect(await last()).toMatchObject({ state: 'done', time: Date.parse('2026-07-01T09:00Z') });
    expect(of.told).toHaveLength(2);
  });

  test('a later one is recorded as missed', async () => {
    const { last, of, log } = await restarted('2026-07-01T09:05:01Z');
    expect(await last()).toMatchObject({ state: 'missed', part: 'start' });
    expect(of.told).toEqual([]);
    expect(log().at(-1)).toBe('ann schedule.start Service: missed 2');
  });

  test('of a start and a stop that are both due, only the stop is done', async () => {
    const { last, of } = await restarted('2026-07-01T09:04Z', { stop: '09:03' });
    expect(await last()).toMatchObject({ state: 'done', part: 'stop' });
    expect(of.told.toSorted()).toEqual(['ann record-stop 1', 'ann record-stop 2']);
  });
});

describe('a hub that is killed', () => {
  test('during a run begins it no second time, and says that it was interrupted', async () => {
    const { db, clock, of, service, editor, log, settled } = setUp();
    const id = service.add(editor(ann), config());
    of.gate = new Promise(() => {});
    clock.to('2026-07-01T09:00Z');
    expect(service.find(id)?.last?.state).toBe('running');
    // Nothing of the first service ends: it is gone.
    const after = { ...of, gate: Promise.resolve() };
    const next = serviceOn(db, clock, after);
    next.service.start();
    expect(await settled(id, next.service)).toMatchObject({ state: 'interrupted' });
    expect(after.told).toEqual([]);
    expect(log().at(-1)).toBe('ann schedule.start Service 3');
    clock.to('2026-07-01T10:00Z');
    expect(await settled(id, next.service)).toMatchObject({ state: 'done', part: 'stop' });
  });

  test('whose database has no space begins nothing that it could not record', async () => {
    const { db, clock, of, service, editor, settled } = setUp();
    const id = service.add(editor(ann), config());
    db.$client.run('PRAGMA query_only = 1');
    clock.to('2026-07-01T09:00:30Z');
    expect(of.told).toEqual([]);
    db.$client.run('PRAGMA query_only = 0');
    clock.to('2026-07-01T09:02Z');
    expect(await settled(id)).toMatchObject({ state: 'done' });
    expect(of.told).toHaveLength(2);
  });
});

test('a stop ends a start that has not reached all devices', async () => {
  const { clock, of, service, editor, settled } = setUp();
  const many = Array.from({ length: 20 }, (_, at) => `B4140000000${at + 10}`);
  for (const sn of many) guards.set(sn, { ownerId: 1 });
  const id = service.add(editor(ann), config({ sn: many, stop: '09:01' }));
  const gate = Promise.withResolvers<void>();
  of.gate = gate.promise;
  clock.to('2026-07-01T09:01Z');
  gate.resolve();
  expect(await settled(id)).toMatchObject({ part: 'stop', done: 20 });
  await until(() => of.told.filter((line) => line.includes('record-stop')).length === 20);
  expect(of.told.filter((line) => line.includes('record-start')).length).toBeLessThan(20);
});

describe('the rights of its owner', () => {
  test('decide when it is saved', () => {
    const { service, editor, of } = setUp();
    const add = (more: Partial<ScheduleConfig>) => refused(() => service.add(editor(ann), config(more)));
    expect(add({ name: 'A', sn: [one, 'NONE'] })).toBe('clientNotExist');
    of.hidden.add(two);
    expect(add({ name: 'B' })).toBe('clientNotExist');
    of.hidden.clear();
    of.uncontrolled.add(two);
    expect(add({ name: 'C' })).toBe('notPermitted');
    expect(add({ name: 'D', sn: [three] })).toBe('unsupported');
    expect(add({ name: 'E', sn: [three], action: 'live' })).toBe('accepted');
    expect(add({ name: 'E', sn: [one] })).toBe('objectExists');
    expect(add({ name: 'F', sn: [one], days: [], date: '2026-06-30' })).toBe('invalidArgument');
  });

  test('decide again when it runs', async () => {
    const { service, editor, of, clock, settled } = setUp();
    const id = service.add(editor(ann), config());
    of.uncontrolled.add(one);
    clock.to('2026-07-01T09:00Z');
    expect(await settled(id)).toMatchObject({ done: 1, failed: [{ sn: one, fault: { result: 31 } }] });
    expect(of.told).toEqual(['ann record-start 2']);
  });

  test('are those of the user who saved it last', async () => {
    const { service, editor, of, clock, settled } = setUp();
    const id = service.add(editor(ann), config());
    service.set(editor(bob), { id, config: config({ name: 'Of bob' }) });
    expect(service.view(service.find(id)!)).toMatchObject({ owner: 'bob', name: 'Of bob', revision: 3 });
    clock.to('2026-07-01T09:00Z');
    await settled(id);
    expect(of.told.every((line) => line.startsWith('bob'))).toBe(true);
  });

  test('end with the owner: it is disabled with the reason until another user saves it', async () => {
    const { service, editor, of, clock, db, settled } = setUp();
    const id = service.add(editor(ann), config());
    of.users.splice(0, 1);
    disownSchedules(db, ann.id);
    service.reload([id]);
    expect(service.view(service.find(id)!)).toMatchObject({ enabled: false, problem: 'ownerDeleted' });
    clock.to('2026-07-01T09:30Z');
    expect(of.told).toEqual([]);
    service.set(editor(bob), { id, enabled: true });
    expect(service.view(service.find(id)!)).toMatchObject({ enabled: true, owner: 'bob' });
    expect(service.view(service.find(id)!).problem).toBeUndefined();
    clock.to('2026-07-01T10:00Z');
    await settled(id);
    expect(of.told).toHaveLength(2);
  });

  test('end with the access token that it was saved with', async () => {
    const { service, editor, of, clock, log } = setUp();
    const ofToken = (id: number): Session => ({
      user: ann,
      idHash: `token:${id}`,
      token: { id, name: 'x', expiresAt: null },
    });
    of.tokens.set(7, ofToken(7));
    const id = service.add({ ...editor(ann), session: ofToken(7) }, config());
    const shown = () => service.view(service.find(id)!);
    clock.to('2026-07-01T09:00Z');
    await until(() => of.told.length === 2);
    expect(shown().problem).toBeUndefined();
    of.tokens.delete(7);
    expect(shown()).toMatchObject({ enabled: false, problem: 'tokenEnded' });
    expect(shown().next).toBeUndefined();
    clock.to('2026-07-01T10:00Z');
    expect(of.told).toHaveLength(2);
    expect(shown()).toMatchObject({ enabled: false, problem: 'tokenEnded' });
    expect(log().at(-1)).toBe('ann schedule.stop Service 31');
    service.set(editor(ann), { id, enabled: true });
    expect(shown()).toMatchObject({ enabled: true, next: { part: 'start' } });
    expect(shown().problem).toBeUndefined();
  });

  test('that its owner loses during a run count for the devices that follow', async () => {
    const { service, editor, of, clock, settled } = setUp();
    const many = Array.from({ length: 20 }, (_, at) => `B4150000000${at + 10}`);
    for (const sn of many) guards.set(sn, { ownerId: 1 });
    const id = service.add(editor(ann), config({ sn: many }));
    const gate = Promise.withResolvers<void>();
    of.gate = gate.promise;
    clock.to('2026-07-01T09:00Z');
    of.users.splice(0, 1);
    gate.resolve();
    expect(await settled(id)).toMatchObject({ state: 'interrupted' });
    expect(of.told.length).toBeLessThan(20);
  });

  test('hide the names of schedules that a user does not see', () => {
    const { service, editor, of } = setUp();
    service.add(editor(ann), config({ sn: [one] }));
    const add = (name: string) => refused(() => service.add(editor(bob), config({ name, sn: [two] })));
    expect(add('Service')).toBe('objectExists');
    of.hidden.add(one);
    expect(add('Service')).toBe('accepted');
    expect(add('Service')).toBe('objectExists');
  });

  test('others see it with a device that they see, and change it only if they control all of them', () => {
    const { service, editor, of } = setUp();
    const id = service.add(editor(ann), config());
    of.hidden.add(one);
    expect(service.list(editor(bob).session, {}).total).toBe(1);
    expect(service.query(editor(bob), id).sn).toEqual([two]);
    expect(refused(() => service.set(editor(bob), { id, enabled: false }))).toBe('notPermitted');
    expect(refused(() => service.del(editor(bob), [id]))).toBe('notPermitted');
    of.hidden.add(two);
    expect(service.list(editor(bob).session, {}).total).toBe(0);
    expect(refused(() => service.query(editor(bob), id))).toBe('notExist');
    // The owner can still end it.
    expect(refused(() => service.set(editor(ann), { id, enabled: false }))).toBe('accepted');
    expect(refused(() => service.set(editor(ann), { id, enabled: true }))).toBe('clientNotExist');
    expect(refused(() => service.del(editor(ann), [id]))).toBe('accepted');
  });
});

test('there are at most 200', () => {
  const { service, editor } = setUp();
  for (let count = 0; count < 200; count += 1) service.add(editor(ann), config({ name: `Number ${count}` }));
  expect(refused(() => service.add(editor(ann), config({ name: 'One more' })))).toBe('tooMany');
});
