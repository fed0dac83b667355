/** A task while it runs: its state, its items, and what its work reports. */
import { limits } from '../../contract/limits.ts';
import { type ResultName, results } from '../../contract/result.ts';
import type { Task, TaskItem } from '../../contract/tasks.ts';
import type { CurrentSession } from '../../http/principal.ts';
import type { Session } from '../../http/route.ts';
import { HubError } from '../../lib/hub-error.ts';
import type { Log } from '../../lib/log.ts';
import { type Database, transaction } from '../../store/database.ts';
import { storeItem, type TaskRow, updateTask } from './store.ts';

/** What the work of a task reports. */
export interface TaskRun {
  readonly id: number;
  /** What the user who started it may do now; null if user or access token no longer exist. */
  session(): Session | null;
  /**
   * Aborted when the task is canceled or the hub stops, with a `HubError` as reason: `canceled` or `interrupted`. Work
   * then throws. An interrupted task may continue after the restart.
   */
  readonly signal: AbortSignal;
  progress(done: number, total?: number): void;
  /**
   * Runs `work` for each item without a result, at most `parallel` at a time. An item whose work throws has failed; the
   * others continue. After a cancel, no further item starts. `mayStart` is asked before each; items that it refuses keep
   * waiting.
   */
  eachItem(
    parallel: number,
    work: (item: TaskItem) => Promise<void>,
    mayStart?: (item: TaskItem) => boolean,
  ): Promise<void>;
  readonly items: readonly TaskItem[];
  /** Aborted only when the hub stops: work that must not be canceled any more looks at this one. */
  readonly stopping: AbortSignal;
  /** Shows what changed of an item. The next result of an item stores it. */
  showItem(key: string, change: ItemChange): void;
  /** The same, and stores it at once. Returns whether that was possible. */
  storeItem(key: string, change: ItemChange): boolean;
  /** From now on a cancel does not end this item: its result is that of its work, also after a restart of the hub. */
  keepItem(key: string): void;
  /** Cancels the items that have not started, each with this reason. */
  skipWaiting(reason: HubError): void;
  /** Adds a result, or replaces the one with the same key. Returns false for a new one beyond the limit of results. */
  putItem(item: Omit<TaskItem, 'state'>): boolean;
}
type ItemChange = Pick<TaskItem, 'upgrade'>;
export type TaskWork = (run: TaskRun) => Promise<void>;

interface Common {
  readonly db: Database;
  readonly log: Log;
  readonly now: () => number;
  readonly currentSession: CurrentSession;
  readonly onChange: (id: number) => void;
}

const isOpen = ({ state }: TaskItem) => state === 'waiting' || state === 'running';

export class RunningTask {
  readonly id: number;
  ownerId: number;
  shown: Task;
  readonly items: TaskItem[];
  isCanceled = false;
  readonly #common: Common;
  readonly #abort = new AbortController();
  readonly #stop = new AbortController();
  /** Positions of items that a cancel does not end. */
  readonly #kept = new Set<number>();
  readonly #settled = Promise.withResolvers<void>();
  /** Resolves when the work has ended. */
  readonly settled = this.#settled.promise;
  readonly #tokenId: number;
  #data: unknown;
  #isSuspended = false;
  #isSaved = true;
  readonly #unsavedItems = new Set<number>();

  constructor(common: Common, { id, ownerId, tokenId, task, data }: TaskRow, items: readonly TaskItem[]) {
    this.id = id;
    this.ownerId = ownerId;
    this.shown = { id, ...task };
    this.items = [...items];
    this.#common = common;
    this.#tokenId = tokenId;
    this.#data = data;
  }

  /** Never rejects. */
  async run(work: TaskWork): Promise<void> {
    const { signal } = this.#abort;
    try {
      await work({
        ...{ id: this.id, signal, items: this.items, stopping: this.#stop.signal },
        session: () => this.#common.currentSession({ ownerId: this.ownerId, tokenId: this.#tokenId }),
        progress: (done, total = this.shown.total) => this.#change({ done, total }),
        eachItem: (parallel, of, mayStart = () => true) => this.#eachItem(parallel, of, mayStart),
        putItem: (item) => this.#putItem(item),
        showItem: (key, change) => this.#setItem(this.#at(key), change),
        storeItem: (key, change) => {
          this.#setItem(this.#at(key), change);
          return this.save();
        },
        keepItem: (key) => this.#kept.add(this.#at(key)),
        skipWaiting: (reason) => this.#cancelWaiting(faultOf(reason)),
      });
      if (this.items.some((item) => isOpen(item) || item.state === 'canceled')) signal.throwIfAborted();
      this.#end('done');
    } catch (error) {
      // Items that still run must not go on without their task.
      this.#abort.abort();
      if (this.isCanceled) this.#end('canceled');
      else if (!this.#isSuspended) {
        this.#report(error);
        this.#end('failed', error);
      }
    } finally {
      this.#settled.resolve();
    }
  }

  /** From now on, the task is canceled, whatever happens to the hub. */
  cancel(): void {
    this.isCanceled = true;
    if (this.#kept.size === 0) this.#data = null;
    this.#cancelWaiting(undefined);
    this.#change({ cancelable: false });
    this.save();
    this.#abort.abort(new HubError('canceled', 'the task was canceled'));
  }

  /** The hub stops: the stored task stays as it is, so that the next start continues or ends it. */
  suspend(): void {
    this.#isSuspended = true;
    const reason = new HubError('interrupted', 'the hub is shutting down');
    this.#abort.abort(reason);
    this.#stop.abort(reason);
  }

  /** For a task of a previous run of the hub that cannot continue. */
  interrupt(): void {
    this.#end('interrupted');
  }

  /** Stores what has changed. Returns whether everything is stored. */
  save(): boolean {
    if (this.#isSaved && this.#unsavedItems.size === 0) return true;
    const { db, log } = this.#common;
    const { id, ...task } = this.shown;
    try {
      transaction<void>(db, (tx) => {
        updateTask(tx, id, { task, endedAt: task.ended, ownerId: this.ownerId, data: this.#data });
        for (const at of this.#unsavedItems) storeItem(tx, id, at, this.items[at] as TaskItem);
      });
      this.#isSaved = true;
      this.#unsavedItems.clear();
      return true;
    } catch (error) {
      log.warn('a task can’t be stored', { task: id, reason: String(error) });
      return false;
    }
  }

  #at(key: string): number {
    const at = this.items.findIndex((item) => item.key === key);
    if (at < 0) throw new Error('the task has no such item');
    return at;
  }

  #cancelWaiting(fault: TaskItem['fault']): void {
    for (const [at, { state }] of this.items.entries())
      if (state === 'waiting') this.#setItem(at, { state: 'canceled', ...(fault && { fault }) });
  }

  async #eachItem(
    parallel: number,
    work: (item: TaskItem) => Promise<void>,
    mayStart: (item: TaskItem) => boolean,
  ): Promise<void> {
    const waiting = [...this.items.keys()].filter((at) => isOpen(this.items[at] as TaskItem));
    const worker = async () => {
      for (let at = waiting.shift(); at !== undefined && !this.#abort.signal.aborted; at = waiting.shift()) {
        if (mayStart(this.items[at] as TaskItem)) await this.#runItem(at, work);
      }
    };
    await Promise.all(Array.from({ length: Math.min(parallel, waiting.length) }, worker));
  }

  async #runItem(at: number, work: (item: TaskItem) => Promise<void>): Promise<void> {
    this.#setItem(at, { state: 'running' });
    try {
      await work(this.items[at] as TaskItem);
      this.#setItem(at, { state: 'done' });
    } catch (error) {
      if (this.#isSuspended) return;
      // The result of an item that was running is shown also after a cancel.
      const isOwn = error instanceof HubError && error.result !== 'canceled';
      if (this.isCanceled && !isOwn && !this.#kept.has(at)) this.#setItem(at, { state: 'canceled' });
      else {
        this.#report(error);
        this.#setItem(at, { state: 'failed', fault: faultOf(error) });
      }
    }
    this.save();
    const count = (state: TaskItem['state']) => this.items.filter((item) => item.state === state).length;
    const failed = count('failed');
    this.#change({ failed, ...(this.shown.unit === 'items' && { done: failed + count('done') }) });
  }

  #putItem(item: Omit<TaskItem, 'state'>): boolean {
    const known = this.items.findIndex(({ key }) => key === item.key);
    if (known < 0 && this.items.length >= limits.tasks.results) return false;
    const at = known < 0 ? this.items.length : known;
    this.items[at] = { ...item, state: 'done' };
    this.#unsavedItems.add(at);
    return true;
  }

  #setItem(at: number, next: Partial<TaskItem>): void {
    this.items[at] = { ...(this.items[at] as TaskItem), ...next };
    this.#unsavedItems.add(at);
  }

  #change(next: Partial<Task>): void {
    this.shown = { ...this.shown, ...next };
    this.#isSaved = false;
    this.#common.onChange(this.id);
  }

  #end(state: Exclude<Task['state'], 'running'>, error?: unknown): void {
    if (state !== 'done') {
      const left = state === 'canceled' ? 'canceled' : 'interrupted';
      for (const [at, item] of this.items.entries()) if (isOpen(item)) this.#setItem(at, { state: left });
    }
    this.#change({ state, ended: this.#common.now(), ...(error !== undefined && { fault: faultOf(error) }) });
  }

  #report(error: unknown): void {
    if (error instanceof HubError) return;
    this.#common.log.error('a task failed', { task: this.id, kind: this.shown.kind, reason: String(error) });
  }
}

function faultOf(error: unknown): NonNullable<TaskItem['fault']> {
  const name: ResultName = error instanceof HubError ? error.result : 'unknownError';
  const message = error instanceof HubError ? error.message : 'internal error; see the system log for details';
  const params = error instanceof HubError ? error.params : undefined;
  return { result: results[name].code, message, ...(params && { params: { ...params } }) };
}
