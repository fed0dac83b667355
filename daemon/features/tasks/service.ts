/**
 * Runs long work for its owner. A task is stored when it begins, with each result of an item, and when it ends: what the
 * API has shown is known after a restart, too.
 */
import { limits } from '../../contract/limits.ts';
import { groupTypes } from '../../contract/permission.ts';
import { type ResultName, results } from '../../contract/result.ts';
import type { Task, TaskItem, TaskState } from '../../contract/tasks.ts';
import type { Actor, Session } from '../../http/route.ts';
import { createEmitter } from '../../lib/emitter.ts';
import { HubError } from '../../lib/hub-error.ts';
import { windowOf } from '../../lib/list-page.ts';
import type { Log } from '../../lib/log.ts';
import { unlessNoSpace } from '../../lib/no-space.ts';
import { notExist, tooMany } from '../../lib/refusals.ts';
import type { Database } from '../../store/database.ts';
import type { Audit } from '../logs/audit.ts';
import {
  insertTask,
  itemsOfTask,
  listEndedTasks,
  listRunningTasks,
  type TaskRow,
  trimTasks,
  updateTask,
} from './store.ts';

export interface TaskSpec {
  /** `noun.verb`. */
  readonly kind: string;
  /** Name of the object or file; empty if the items say it. */
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

/** What the work of a task reports. */
export interface TaskRun {
  readonly id: number;
  /** Aborted when the task is canceled or the hub stops. */
  readonly signal: AbortSignal;
  /** Items that have neither succeeded nor failed. */
  readonly open: readonly TaskItem[];
  progress(done: number, total?: number): void;
  /**
   * Runs `work` for each open item, at most `parallel` at a time. An item whose work throws has failed; the others go on.
   * After a cancel, no further item begins.
   */
  eachItem(parallel: number, work: (item: TaskItem) => Promise<void>): Promise<void>;
}
export type TaskWork = (run: TaskRun) => Promise<void>;

interface TaskOptions {
  readonly db: Database;
  readonly audit: Audit;
  readonly log: Log;
  readonly now: () => number;
}

interface Running {
  readonly ownerId: number;
  task: Task;
  readonly items: TaskItem[];
  readonly controller: AbortController;
  readonly ended: Promise<void>;
  isUnsaved: boolean;
}

/** Progress is stored this often, results of items at once. */
const saveMs = 1000;

export type TaskService = ReturnType<typeof createTaskService>;

export function createTaskService({ db, audit, log, now }: TaskOptions) {
  const changes = createEmitter<[ids: number[]]>();
  const running = new Map<number, Running>();
  const resumers = new Map<string, (data: unknown) => TaskWork>();
  let isClosing = false;
  const ended = new Map(
    listEndedTasks(db, limits.tasks.kept)
      .toReversed()
      .map((row) => [row.id, row]),
  );

  const saver = setInterval(() => {
    for (const [id, one] of running) if (one.isUnsaved) save(id, one);
  }, saveMs);
  saver.unref();

  function save(id: number, one: Running): void {
    one.isUnsaved = false;
    const { id: _, ...task } = one.task;
    try {
      updateTask(db, id, { task, items: one.items, endedAt: task.ended });
    } catch (error) {
      one.isUnsaved = true;
      log.warn('a task can’t be stored', { task: id, reason: String(error) });
    }
  }

  function change(one: Running, next: Partial<Task>): void {
    one.task = { ...one.task, ...next };
    one.isUnsaved = true;
    changes.emit([one.task.id]);
  }

  function logUnexpected({ task: { id, kind } }: Running, error: unknown): void {
    if (!(error instanceof HubError)) log.error('a task failed', { task: id, kind, reason: String(error) });
  }

  function finish(one: Running, state: TaskState, error?: unknown): void {
    const { id } = one.task;
    const left = state === 'canceled' ? 'canceled' : state === 'done' ? undefined : 'interrupted';
    for (const [at, item] of one.items.entries()) {
      if (left && (item.state === 'waiting' || item.state === 'running')) one.items[at] = { ...item, state: left };
    }
    running.delete(id);
    change(one, { state, ended: now(), ...(error !== undefined && { fault: faultOf(error) }) });
    save(id, one);
    const { id: _, ...task } = one.task;
    ended.set(id, { id, ownerId: one.ownerId, endedAt: task.ended, task });
    unlessNoSpace(() => {
      const removed = trimTasks(db, limits.tasks.kept);
      for (const old of removed) ended.delete(old);
      changes.emit(removed);
    });
  }

  function run(row: TaskRow, work: TaskWork): void {
    const controller = new AbortController();
    const settled = Promise.withResolvers<void>();
    const one: Running = {
      ...{ ownerId: row.ownerId, task: { id: row.id, ...row.task }, items: [...row.items], controller },
      ...{ ended: settled.promise, isUnsaved: false },
    };
    running.set(row.id, one);
    changes.emit([row.id]);
    const { signal } = controller;
    const outcome = (error?: unknown): void => {
      // The row stays as it is: the next start of the hub resumes the task, or marks it as interrupted.
      if (isClosing) running.delete(row.id);
      else if (signal.aborted) finish(one, 'canceled');
      else finish(one, error === undefined ? 'done' : 'failed', error);
      if (error !== undefined && !signal.aborted) logUnexpected(one, error);
      settled.resolve();
    };
    const setItem = (key: string, next: Partial<TaskItem>) => {
      const at = one.items.findIndex((item) => item.key === key);
      const item = one.items[at];
      if (item) one.items[at] = { ...item, ...next };
    };
    const isOpen = ({ state }: TaskItem) => state === 'waiting' || state === 'running';
    const runItem = async (item: TaskItem, of: (item: TaskItem) => Promise<void>) => {
      setItem(item.key, { state: 'running' });
      try {
        await of(item);
        setItem(item.key, { state: 'done' });
      } catch (error) {
        if (isClosing) return;
        if (!signal.aborted) logUnexpected(one, error);
        setItem(item.key, signal.aborted ? { state: 'canceled' } : { state: 'failed', fault: faultOf(error) });
      }
      const failed = one.items.filter(({ state }) => state === 'failed').length;
      const settledItems = one.items.filter((each) => !isOpen(each)).length;
      change(one, { failed, ...(one.task.unit === 'items' && { done: settledItems }) });
      save(row.id, one);
    };
    work({
      ...{ id: row.id, signal },
      get open() {
        return one.items.filter(isOpen);
      },
      progress: (done, total = one.task.total) => change(one, { done, total }),
      async eachItem(parallel, of) {
        const waiting = one.items.filter(isOpen);
        const worker = async () => {
          for (let item = waiting.shift(); item && !signal.aborted; item = waiting.shift()) await runItem(item, of);
        };
        await Promise.all(Array.from({ length: Math.min(parallel, waiting.length) }, worker));
      },
    }).then(() => outcome(), outcome);
  }

  const all = (): (Task & { readonly ownerId: number })[] => [
    ...[...running.values()].map(({ ownerId, task }) => ({ ...task, ownerId })),
    ...[...ended.values()].map(({ id, ownerId, task }) => ({ ...task, id, ownerId })),
  ];
  const find = (session: Session, id: number) => {
    const one = running.get(id) ?? ended.get(id);
    if (!one || !sees(session, one.ownerId)) throw notExist('task', id);
    return one;
  };

  return {
    /** Begins a task. Throws `tooMany` while too many run. */
    begin(session: Session, spec: TaskSpec, work: TaskWork): number {
      const { items = [], unit = 'items', total = items.length } = spec;
      const own = [...running.values()].filter(({ ownerId }) => ownerId === session.user.id);
      if (own.length >= limits.tasks.perUser) throw tooMany('running tasks of this user', limits.tasks.perUser);
      if (running.size >= limits.tasks.running) throw tooMany('running tasks', limits.tasks.running);
      if (items.length > limits.tasks.items) throw tooMany('items of this task', limits.tasks.items);
      const row = {
        ...{ ownerId: session.user.id, endedAt: 0, data: spec.data ?? null },
        items: items.map((item): TaskItem => ({ ...item, state: 'waiting' })),
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
      const id = insertTask(db, row);
      run({ id, ...row }, work);
      return id;
    },
    /** Registers how tasks of a kind continue after a restart; to be called before `start`. */
    resume(kind: string, continued: (data: unknown) => TaskWork): void {
      resumers.set(kind, continued);
    },
    /** Continues the tasks of the run before, or marks them as interrupted. */
    start(): void {
      for (const row of listRunningTasks(db)) {
        const continued = row.data === null ? undefined : resumers.get(row.task.kind);
        if (continued) run(row, continued(row.data));
        else {
          const one: Running = {
            ...{ ownerId: row.ownerId, task: { id: row.id, ...row.task }, items: [...row.items], isUnsaved: false },
            ...{ controller: new AbortController(), ended: Promise.resolve() },
          };
          finish(one, 'interrupted');
        }
      }
    },
    /** Resolves when no task runs any more. */
    async close(): Promise<void> {
      isClosing = true;
      clearInterval(saver);
      const left = [...running];
      for (const [id, one] of left) {
        save(id, one);
        one.controller.abort();
      }
      await Promise.all(left.map(([, one]) => one.ended));
    },
    /** The newest first. */
    list(session: Session, query: { readonly start?: number | undefined; readonly count?: number | undefined }) {
      const seen = all().filter(({ ownerId }) => sees(session, ownerId));
      const newest = seen.toSorted((a, b) => b.id - a.id).map(shown);
      return { ...windowOf(newest, query.start, query.count ?? limits.page.default), total: seen.length };
    },
    query(session: Session, id: number): Task & { list: TaskItem[] } {
      const one = find(session, id);
      const list = 'items' in one ? one.items : itemsOfTask(db, id);
      return { ...one.task, id, list: [...list] };
    },
    /** Resolves when the task has ended. */
    async cancel(actor: Actor, session: Session, id: number): Promise<void> {
      const { task } = find(session, id);
      const one = running.get(id);
      if (!one) return;
      if (!task.cancelable) throw new HubError('wrongState', 'this task cannot be canceled');
      audit.note(db, actor, { action: 'task.cancel', subject: [task.kind, task.subject].join(' ').trim() });
      one.controller.abort();
      await one.ended;
    },
    all,
    onChange: changes.on,
  };
}

/** Own tasks, and those of everybody for administrators. */
export function sees({ user }: Session, ownerId: number): boolean {
  return user.id === ownerId || user.type === groupTypes.admin;
}

export function shown({ ownerId: _, ...task }: Task & { readonly ownerId: number }): Task {
  return task;
}

function faultOf(error: unknown): { readonly result: number; readonly message: string } {
  const name: ResultName = error instanceof HubError ? error.result : 'unknownError';
  const message = error instanceof HubError ? error.message : 'an internal error; the system log has more';
  return { result: results[name].code, message };
}
