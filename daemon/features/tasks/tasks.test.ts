import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { readerSession, readTopic } from '../../../tests/support/topic-reader.ts';
import { until } from '../../../tests/support/until.ts';
import type { ObjectsEvent } from '../../contract/events.ts';
import { limits } from '../../contract/limits.ts';
import { groupTypes } from '../../contract/permission.ts';
import type { Task } from '../../contract/tasks.ts';
import type { Session } from '../../http/route.ts';
import { HubError } from '../../lib/hub-error.ts';
import { createLog } from '../../lib/log.ts';
import type { Database } from '../../store/database.ts';
import { memoryDatabase } from '../../store/memory-database-for-test.ts';
import { operationLog } from '../../store/schema.ts';
import { createAudit } from '../logs/audit.ts';
import { createObjectAccess } from '../visibility/service.ts';
import { taskFeature } from './feature.ts';
import type { TaskWork } from './running-task.ts';
import { createTaskService, type TaskService } from './service.ts';

const actor = { name: 'ann', ip: '192.0.2.7' };
const withId = (session: Session, id: number, type: number = groupTypes.custom): Session => ({
  ...session,
  user: { ...session.user, id, type },
});
const ann = withId(readerSession('ann'), 2);
const bob = withId(readerSession('bob'), 4);
const admin = withId(readerSession('Admin'), 1, groupTypes.admin);

let db: Database;
let tasks: TaskService;
let now = 1_700_000_000_000;
const access = createObjectAccess();
const lines: string[] = [];

function begin(resumes: Readonly<Record<string, (data: unknown) => TaskWork>> = {}): TaskService {
  const log = createLog('info', (line) => lines.push(line));
  const service = createTaskService({
    db,
    log,
    access,
    currentSession: () => null,
    audit: createAudit(() => now),
    now: () => now,
  });
  for (const [kind, continued] of Object.entries(resumes)) service.resume(kind, continued);
  service.start();
  return service;
}
beforeEach(() => {
  db = memoryDatabase();
  lines.length = 0;
  tasks = begin();
});
afterEach(() => tasks.close());

const items = (...keys: string[]) => keys.map((key) => ({ key, name: `Encoder ${key}` }));
const states = (id: number, of = ann) => tasks.query(of, id).list.map(({ state }) => state);
const ended = (id: number) => until(() => tasks.query(admin, id).ended > 0);

describe('items', () => {
  test('run at most so many at a time; one that fails says why, and the others go on', async () => {
    let running = 0;
    let most = 0;
    const id = tasks.begin(ann, { kind: 'pen.fill', items: items('1', '2', '3', '4', '5') }, (run) =>
      run.eachItem(2, async ({ key }) => {
        most = Math.max(most, ++running);
        await new Promise((next) => setImmediate(next));
        running--;
        if (key === '3') throw new HubError('deviceLost', 'it is gone');
        if (key === '4') throw new Error('with a secret in it');
      }),
    );
    expect(tasks.query(ann, id)).toMatchObject({ state: 'running', done: 0, total: 5, owner: 'ann', unit: 'items' });
    now += 5000;
    await ended(id);
    expect(most).toBe(2);
    expect(tasks.query(ann, id)).toMatchObject({ state: 'done', done: 5, failed: 2, ended: now });
    expect(states(id)).toEqual(['done', 'done', 'failed', 'failed', 'done']);
    const [, , third, fourth] = tasks.query(ann, id).list;
    expect(third).toMatchObject({ key: '3', name: 'Encoder 3', fault: { result: 12, message: 'it is gone' } });
    expect(fourth).toMatchObject({
      fault: { result: 6, message: 'internal error; see the system log for details' },
    });
  });

  test('that have not started are canceled, and what has been done stays', async () => {
    const first = Promise.withResolvers<void>();
    const id = tasks.begin(ann, { kind: 'pen.fill', subject: 'All', items: items('1', '2', '3') }, (run) =>
      run.eachItem(1, async ({ key }) => {
        if (key === '1') return;
        run.signal.addEventListener('abort', () => first.reject(run.signal.reason));
        await first.promise;
      }),
    );
    await until(() => states(id)[1] === 'running');
    await tasks.cancel(actor, ann, id);
    expect(tasks.query(ann, id)).toMatchObject({ state: 'canceled', done: 1, failed: 0 });
    expect(states(id)).toEqual(['done', 'canceled', 'canceled']);
    const [entry] = db.select().from(operationLog).all();
    expect(entry).toMatchObject({ action: 'task.cancel', subject: 'pen.fill All', user: 'ann' });
    await tasks.cancel(actor, ann, id);
    expect(db.select().from(operationLog).all()).toHaveLength(1);
  });
});

test('work can add items and replace them; what it found is there after a restart', async () => {
  const name = (text: string) => ({ key: 'a', name: text });
  const full: boolean[] = [];
  const id = tasks.begin(ann, { kind: 'pen.find', unit: 'addresses' }, async ({ putItem }) => {
    for (const item of [name('Old'), name('New')]) putItem(item);
    for (let at = 1; at <= limits.tasks.results; at++) full.push(!putItem({ key: String(at), name: '' }));
  });
  await ended(id);
  expect(full.filter(Boolean)).toHaveLength(1);
  await tasks.close();
  tasks = begin();
  const { list, done, state } = tasks.query(ann, id);
  expect([list.length, list[0], done, state]).toEqual([
    limits.tasks.results,
    { ...name('New'), state: 'done' },
    0,
    'done',
  ]);
});

describe('a task', () => {
  test('that fails as a whole says why; an unexpected fault is in the log', async () => {
    const failing = tasks.begin(ann, { kind: 'pen.load', unit: 'bytes', total: 900 }, async ({ progress }) => {
      progress(300);
      throw new HubError('noSpace', 'there is no space');
    });
    const broken = tasks.begin(ann, { kind: 'pen.load' }, () => Promise.reject(new Error('ink')));
    await ended(failing);
    await ended(broken);
    expect(tasks.query(ann, failing)).toMatchObject({
      ...{ state: 'failed', done: 300, total: 900, fault: { result: 29, message: 'there is no space' } },
    });
    expect(tasks.query(ann, broken)).toMatchObject({ state: 'failed', fault: { result: 6 } });
    expect(lines.join('\n')).toContain('kind=pen.load reason="Error: ink"');
  });

  test('that cannot be canceled refuses it', async () => {
    const end = Promise.withResolvers<void>();
    const id = tasks.begin(ann, { kind: 'pen.load', isCancelable: false }, () => end.promise);
    await expect(tasks.cancel(actor, ann, id)).rejects.toMatchObject({ result: 'wrongState' });
    end.resolve();
    await ended(id);
    expect(tasks.query(ann, id).state).toBe('done');
  });

  test('is seen and canceled by its owner and by administrators', async () => {
    const id = tasks.begin(ann, { kind: 'pen.load' }, ({ signal }) => aborted(signal));
    expect(() => tasks.query(bob, id)).toThrow(`there is no task ${id}`);
    await expect(tasks.cancel(actor, bob, id)).rejects.toMatchObject({ result: 'notExist' });
    expect([tasks.list(bob, {}).total, tasks.list(ann, {}).total, tasks.list(admin, {}).total]).toEqual([0, 1, 1]);
    await tasks.cancel(actor, admin, id);
    expect(tasks.list(ann, {}).list).toMatchObject([{ id, state: 'canceled' }]);
  });

  test('is refused while too many run', async () => {
    const work: TaskWork = ({ signal }) => aborted(signal);
    for (let at = 0; at < limits.tasks.perUser; at++) tasks.begin(ann, { kind: 'pen.load' }, work);
    expect(() => tasks.begin(ann, { kind: 'pen.load' }, work)).toThrow('16 running tasks of this user');
    for (const { id } of tasks.list(ann, {}).list) await tasks.cancel(actor, ann, id);
    tasks.begin(ann, { kind: 'pen.load' }, work);
  });
});

test('the newest ended tasks are kept', async () => {
  for (let at = 0; at < limits.tasks.kept + 3; at++) {
    const id = tasks.begin(ann, { kind: 'pen.load' }, () => Promise.resolve());
    await ended(id);
  }
  const all = tasks.list(ann, { count: 1000 });
  expect(all.total).toBe(limits.tasks.kept);
  expect(all.list.at(-1)?.id).toBe(4);
  expect(begin().list(ann, {}).total).toBe(limits.tasks.kept);
});

test('the event stream has the state of each task for those who see it', async () => {
  const [topic] = taskFeature(tasks, access).topics!;
  const [own, other] = [ann, bob].map((session) => readTopic<ObjectsEvent<Task>>(topic!, session));
  const id = tasks.begin(ann, { kind: 'pen.fill', items: items('1') }, (run) => run.eachItem(1, async () => {}));
  await until(() => own!.changes().some(({ changed }) => changed.some(({ state }) => state === 'done')));
  const last = own!.changes().at(-1)?.changed.at(-1);
  expect(last).toEqual({
    ...{ id, kind: 'pen.fill', subject: '', owner: 'ann', state: 'done', unit: 'items', done: 1, total: 1, failed: 0 },
    ...{ cancelable: true, started: now, ended: now },
  });
  expect(other!.changes()).toEqual([]);
});

describe('after a restart', () => {
  const blocked: TaskWork = (run) =>
    run.eachItem(1, ({ key }) => (key === '1' ? Promise.resolve() : aborted(run.signal)));

  test('a task that cannot continue was interrupted, with the results it had', async () => {
    const id = tasks.begin(ann, { kind: 'pen.fill', items: items('1', '2', '3') }, blocked);
    await until(() => states(id)[1] === 'running');
    await tasks.close();
    now += 60_000;
    tasks = begin();
    expect(tasks.query(ann, id)).toMatchObject({ state: 'interrupted', done: 1, ended: now });
    expect(states(id)).toEqual(['done', 'interrupted', 'interrupted']);
  });

  test('one that can continues with what is left', async () => {
    const spec = { kind: 'pen.fill', items: items('1', '2', '3'), data: { ink: 'blue' } };
    const id = tasks.begin(ann, spec, blocked);
    await until(() => states(id)[1] === 'running');
    await tasks.close();
    const done: string[] = [];
    tasks = begin({
      'pen.fill': (data) => (run) =>
        run.eachItem(2, async ({ key }) => {
          done.push(`${key} ${(data as { ink: string }).ink}`);
        }),
    });
    await ended(id);
    expect(done).toEqual(['2 blue', '3 blue']);
    expect(tasks.query(ann, id)).toMatchObject({ state: 'done', done: 3, failed: 0 });
  });

  test('the tasks of a deleted user have no owner, even if the hub is killed immediately afterwards', async () => {
    const waits = (): TaskWork => (run) => aborted(run.signal);
    const id = tasks.begin(ann, { kind: 'pen.load', data: {} }, waits());
    await tasks.close();
    // Nothing but the owner of this task changes from here on, so nothing else makes the hub store it.
    tasks = begin({ 'pen.load': waits });
    tasks.disown(db, ann.user.id);
    expect(() => tasks.query(ann, id)).toThrow('there is no task');
    const next = begin({ 'pen.load': waits });
    expect(() => next.query(ann, id)).toThrow('there is no task');
    expect(next.query(admin, id).state).toBe('running');
    await next.close();
  });

  test('a hub that was killed knows every result that was shown', async () => {
    const id = tasks.begin(ann, { kind: 'pen.fill', items: items('1', '2') }, blocked);
    await until(() => states(id)[0] === 'done');
    // Another service on the same database stands for the hub that starts after a kill.
    const next = begin();
    expect(next.query(ann, id).list.map(({ state }) => state)).toEqual(['done', 'interrupted']);
    await next.close();
  });
});

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
}
