/**
 * Runs long work for its owner. A task is stored when it starts, with the result of each item before that is shown, and
 * when it ends.
 */
import { limits } from '../../contract/limits.ts';
import type { Task, TaskItem } from '../../contract/tasks.ts';
import type { ObjectAccess } from '../../http/object-access.ts';
import { type CurrentSession, principalOf } from '../../http/principal.ts';
import type { Actor, Session } from '../../http/route.ts';
import { createEmitter } from '../../lib/emitter.ts';
import { HubError } from '../../lib/hub-error.ts';
import { windowOf } from '../../lib/list-page.ts';
import type { Log } from '../../lib/log.ts';
import { notExist, tooMany } from '../../lib/refusals.ts';
import { type Database, type Queries, transaction } from '../../store/database.ts';
import { timing } from '../../timing.ts';
import type { Audit } from '../logs/audit.ts';
import { RunningTask, type TaskWork } from './running-task.ts';
import { disownTasks, insertTask, itemsOfTask, listEndedTasks, listRunningTasks, trimTasks } from './store.ts';

export interface TaskSpec {
  /** `noun.verb`. */
  readonly kind: string;
  /** Name of the object or file; empty if the items have names. */
  readonly subject?: string;
  /** Default: items. */
  readonly unit?: Task['unit'];
  /** Default: the number of items. */
  readonly total?: number;
  readonly items?: readonly Pick<TaskItem, 'key' | 'name'>[];
  /** Default: true. */
  readonly isCancelable?: boolean;
  /** JSON from which `resume` continues the task after a restart; absent: a restart interrupts it. */
  readonly data?: unknown;
}

interface TaskOptions {
  readonly access: Pick<ObjectAccess, 'canSee'>;
  readonly currentSession: CurrentSession;
  readonly db: Database;
  readonly audit: Audit;
  readonly log: Log;
  readonly now: () => number;
}

export type OwnedTask = Task & { readonly ownerId: number };

export type TaskService = ReturnType<typeof createTaskService>;

export function createTaskService({ db, audit, access, currentSession, log, now }: TaskOptions) {
  const changes = createEmitter<[ids: number[]]>();
  const running = new Map<number, RunningTask>();
  /** Ended tasks that could not be stored yet. */
  const unsaved = new Set<RunningTask>();
  const ended = new Map<number, OwnedTask>();
  for (const { id, ownerId, task } of listEndedTasks(db, limits.tasks.kept).toReversed()) {
    ended.set(id, { ...task, id, ownerId });
  }
  const resumers = new Map<string, (data: unknown) => TaskWork>();

  const saver = setInterval(() => {
    for (const task of [...running.values(), ...unsaved]) if (task.save()) unsaved.delete(task);
  }, timing.tasks.saveMs);
  saver.unref();

  const run = (task: RunningTask, work: TaskWork): void => {
    running.set(task.id, task);
    changes.emit([task.id]);
    void task.run(work).then(() => {
      running.delete(task.id);
      if (task.shown.ended > 0) keep(task);
    });
  };
  const keep = (task: RunningTask): void => {
    if (!task.save()) unsaved.add(task);
    ended.set(task.id, { ...task.shown, ownerId: task.ownerId });
    try {
      const removed = trimTasks(db, limits.tasks.kept);
      for (const id of removed) ended.delete(id);
      changes.emit([task.id, ...removed]);
    } catch (error) {
      log.warn('ended tasks can’t be removed', { reason: String(error) });
      changes.emit([task.id]);
    }
  };
  const common = { db, log, now, currentSession, onChange: (id: number) => changes.emit([id]) };

  const find = (session: Session, id: number): OwnedTask => {
    const one = running.get(id);
    const task = one ? { ...one.shown, ownerId: one.ownerId } : ended.get(id);
    if (!task || !access.canSee(session, task)) throw notExist('task', id);
    return task;
  };
  const all = (): OwnedTask[] => [
    ...[...running.values()].map((one) => ({ ...one.shown, ownerId: one.ownerId })),
    ...ended.values(),
  ];

  return {
    /** Starts a task and returns its id. Throws `tooMany` if too many tasks are running or it has too many items. */
    begin(session: Session, spec: TaskSpec, work: TaskWork): number {
      const { items = [], unit = 'items', total = items.length } = spec;
      const own = [...running.values()].filter(({ ownerId }) => ownerId === session.user.id);
      if (own.length >= limits.tasks.perUser) throw tooMany('running tasks of this user', limits.tasks.perUser);
      if (running.size >= limits.tasks.running) throw tooMany('running tasks', limits.tasks.running);
      if (items.length > limits.tasks.items) throw tooMany('items of this task', limits.tasks.items);
      const waiting = items.map((item): TaskItem => ({ ...item, state: 'waiting' }));
      const row = {
        ...{ ...principalOf(session), endedAt: 0, data: spec.data ?? null },
        task: {
          ...{
            kind: spec.kind,
            subject: spec.subject ?? '',
            owner: session.user.name,
            unit,
            total,
            done: 0,
            failed: 0,
          },
          ...({ state: 'running', cancelable: spec.isCancelable ?? true, started: now(), ended: 0 } as const),
        },
      };
      const id = transaction(db, (tx) => insertTask(tx, row, waiting));
      run(new RunningTask(common, { id, ...row }, waiting), work);
      return id;
    },
    /** Registers how tasks of a kind continue after a restart; to be called before `start`. */
    resume(kind: string, continued: (data: unknown) => TaskWork): void {
      resumers.set(kind, continued);
    },
    /** Continues the tasks of the previous run of the hub, or marks them as interrupted. */
    start(): void {
      for (const row of listRunningTasks(db)) {
        if (running.has(row.id)) continue;
        const task = new RunningTask(common, row, itemsOfTask(db, row.id));
        const continued = row.data === null ? undefined : resumers.get(row.task.kind);
        if (continued) run(task, async (steps) => continued(row.data)(steps));
        else {
          task.interrupt();
          keep(task);
        }
      }
    },
    /** Stops the running tasks, which stay as they are for the next start. Resolves when they have ended, or soon. */
    async close(): Promise<void> {
      clearInterval(saver);
      const left = [...running.values()];
      for (const task of left) task.suspend();
      await Promise.race([Promise.all(left.map((task) => task.settled)), Bun.sleep(timing.tasks.stopMs)]);
      for (const task of [...left, ...unsaved]) task.save();
    },
    /** The newest first. */
    list(session: Session, query: { readonly start?: number | undefined; readonly count?: number | undefined }) {
      const seen = all().filter((task) => access.canSee(session, task));
      const newest = seen.toSorted((a, b) => b.id - a.id).map(shown);
      return { ...windowOf(newest, query.start, query.count ?? limits.page.default), total: seen.length };
    },
    query(session: Session, id: number): Task & { list: TaskItem[] } {
      const task = find(session, id);
      const live = running.get(id) ?? [...unsaved].find((one) => one.id === id);
      return { ...shown(task), list: live ? [...live.items] : itemsOfTask(db, id) };
    },
    /** Resolves when the task has ended, or soon: work may take a while to stop. */
    async cancel(actor: Actor, session: Session, id: number): Promise<void> {
      const { kind, subject, cancelable } = find(session, id);
      const task = running.get(id);
      if (!task || task.isCanceled) return;
      if (!cancelable) throw new HubError('wrongState', 'this task cannot be canceled');
      audit.note(db, actor, { action: 'task.cancel', subject: `${kind} ${subject}`.trim() });
      task.cancel();
      await Promise.race([task.settled, Bun.sleep(timing.tasks.stopMs)]);
    },
    /**
     * The tasks of a deleted user are for administrators only, because user ids are used again. Called within the
     * transaction that deletes the user: a hub that is killed meanwhile must not give them to the next user.
     */
    disown(tx: Queries, userId: number): void {
      disownTasks(tx, userId);
      for (const task of [...running.values(), ...unsaved]) if (task.ownerId === userId) task.ownerId = 0;
      for (const [id, task] of ended) if (task.ownerId === userId) ended.set(id, { ...task, ownerId: 0 });
      changes.emit([...running.keys(), ...ended.keys()]);
    },
    /** Throws `notExist` unless the session may see the task. */
    find,
    all,
    onChange: changes.on,
  };
}

export function shown({ ownerId: _, ...task }: OwnedTask): Task {
  return task;
}
