/**
 * Begins the runs that are due. A run is recorded before the first device is told, so whatever happens to the hub, none
 * begins twice.
 */
import { limits } from '../../contract/limits.ts';
import type { OperationChange } from '../../contract/logs.ts';
import { type ResultName, resultName } from '../../contract/result.ts';
import type { RunState } from '../../contract/schedule-fields.ts';
import { actionOf, type StoredRun } from '../../contract/schedules.ts';
import { accessOf } from '../../http/object-access.ts';
import { transaction } from '../../store/database.ts';
import { scheduleRows } from '../../store/rows.ts';
import { timing } from '../../timing.ts';
import { dueRuns, nextRun, type Run } from './calendar.ts';
import type { ScheduleDeps } from './deps.ts';
import type { ScheduleRow } from './store.ts';

interface RunnerDeps extends ScheduleDeps {
  readonly rows: () => Iterable<ScheduleRow>;
  /** Called after these rows were stored. */
  readonly onStored: (ids: readonly number[]) => void;
}

interface Entry {
  readonly part: Run['part'];
  readonly result: ResultName;
  readonly changes?: readonly OperationChange[];
}

/** A run may begin so much later than planned, because the hub was off or its clock was set. */
const latestMs = 5 * 60_000;
/** The clock may be set: it is looked at this often. */
const lookMs = 60_000;
/** A run that could not be recorded is tried again after this time. */
const againMs = 10_000;
const dayMs = 86_400_000;

/** A clock that was a day ahead, or more, was wrong: what it has made of the schedule is forgotten. */
export const handledUntil = ({ handledUntil: until }: ScheduleRow, now: number): number =>
  until - now > dayMs ? now : until;

export type Runner = ReturnType<typeof createRunner>;

export function createRunner(deps: RunnerDeps) {
  const { db, audit, clock, log, rows, onStored } = deps;
  let cancelTimer = () => {};
  let isClosed = false;
  /** Devices of a hub that has just started are not online yet. */
  let notBefore = 0;
  let graceMs = 0;
  const running = new Map<number, { readonly end: AbortController; readonly settled: Promise<void> }>();

  const store = (row: ScheduleRow, change: Partial<ScheduleRow>, entries: readonly Entry[]): void => {
    transaction<void>(db, (tx) => {
      if (Object.keys(change).length > 0) scheduleRows.update(tx, row.id, change);
      for (const { part, result, changes = [] } of entries) {
        const entry = { action: `schedule.${part}`, subject: row.name, changes, result };
        audit.record(tx, { name: row.owner, ip: '' }, entry);
      }
    });
    onStored([row.id]);
  };

  /** Records what is due, and begins the last of it, unless that is too late. */
  const look = (row: ScheduleRow): void => {
    const now = clock.now();
    const after = handledUntil(row, now);
    if (after !== row.handledUntil) {
      store(row, { handledUntil: after }, []);
      return;
    }
    const due = dueRuns(row, after, now, clock.zone());
    const last = due.at(-1);
    if (last === undefined) return;
    if (deps.currentSession(row) === null) {
      const entry: Entry = { part: last.part, result: 'notPermitted' };
      store(row, { handledUntil: last.at, enabled: false }, [entry]);
      return;
    }
    const isInTime = now - last.at <= latestMs + graceMs;
    const missed = isInTime ? due.slice(0, -1) : due;
    const run: StoredRun = {
      ...{ time: last.at, part: last.part, state: isInTime ? 'running' : 'missed' },
      ...{ done: 0, total: row.devices.length, failed: [] },
    };
    const entries = missed.map(({ part }): Entry => ({ part, result: 'timeout', changes: [{ word: 'missedRun' }] }));
    store(row, { handledUntil: last.at, last: run }, entries);
    if (isInTime) begin(row, run);
  };

  const begin = (row: ScheduleRow, run: StoredRun): void => {
    running.get(row.id)?.end.abort();
    const end = new AbortController();
    const settled = tellAll(row, run, end.signal)
      .catch((error) => log.error('a schedule failed', { schedule: row.name, reason: String(error) }))
      .finally(() => {
        if (running.get(row.id)?.end === end) running.delete(row.id);
      });
    running.set(row.id, { end, settled });
  };

  const tellAll = async (row: ScheduleRow, run: StoredRun, signal: AbortSignal): Promise<void> => {
    const waiting = [...row.devices];
    const failed: StoredRun['failed'][number][] = [];
    let done = 0;
    const worker = async () => {
      for (let sn = waiting.shift(); sn !== undefined; sn = signal.aborted ? undefined : waiting.shift()) {
        // The permissions of its owner may change during a run.
        const session = deps.currentSession(row);
        if (session === null) break;
        const who = { actor: { name: session.user.name, ip: '' }, objects: accessOf(deps.access, session) };
        const [outcome] = await deps.devices.act([sn], actionOf(row.action, run.part), {}, who);
        if (outcome?.error === undefined) done += 1;
        else failed.push({ sn, fault: outcome.error.body() });
      }
    };
    await Promise.all(Array.from({ length: limits.deviceActionsAtOnce }, worker));
    const isWhole = done + failed.length === run.total;
    const firstCode = failed[0]?.fault.result;
    const refusal = firstCode === undefined ? 'success' : (resultName(firstCode) ?? 'unknownError');
    finish(row, run, {
      done,
      failed,
      state: isWhole ? 'done' : 'interrupted',
      result: isWhole ? refusal : 'interrupted',
    });
  };

  const finish = (
    row: ScheduleRow,
    run: StoredRun,
    {
      done,
      failed,
      state,
      result,
    }: Pick<StoredRun, 'done' | 'failed'> & { readonly state: RunState; readonly result: ResultName },
  ): void => {
    const entry: Entry = { part: run.part, result, changes: [{ word: 'ranOn', value: `${done}/${run.total}` }] };
    const isNewest = scheduleRows.find(db, row.id)?.last?.time === run.time;
    store(row, isNewest ? { last: { ...run, done, failed, state } } : {}, [entry]);
  };

  const tick = (): void => {
    for (const row of [...rows()]) {
      if (!row.enabled) continue;
      try {
        look(row);
      } catch (error) {
        // It is not started, because that could not be recorded; the next look may succeed.
        log.error('a schedule cannot run', { schedule: row.name, reason: String(error) });
      }
    }
    graceMs = 0;
    arm();
  };

  /** One timer for all. */
  const arm = (): void => {
    cancelTimer();
    cancelTimer = () => {};
    if (isClosed) return;
    const zone = clock.zone();
    const now = clock.now();
    const times = [...rows()].flatMap((row) =>
      row.enabled ? (nextRun(row, handledUntil(row, now), zone)?.at ?? []) : [],
    );
    if (times.length === 0) return;
    const ms = times.reduce((first, time) => Math.min(first, time), Number.POSITIVE_INFINITY) - now;
    const startingMs = Math.min(notBefore - now, timing.schedules.startMs);
    cancelTimer = clock.after(Math.max(Math.min(ms > 0 ? ms : againMs, lookMs), startingMs), tick);
  };

  return {
    /** Ends what the previous hub has left, and begins to run schedules. */
    start(): void {
      for (const row of [...rows()]) {
        const { last } = row;
        if (last?.state !== 'running') continue;
        const entry: Entry = { part: last.part, result: 'interrupted' };
        store(row, { last: { ...last, state: 'interrupted' } }, [entry]);
      }
      if (![...rows()].some(({ enabled }) => enabled)) return;
      graceMs = timing.schedules.startMs;
      notBefore = clock.now() + graceMs;
      arm();
    },
    /** Call after rows have changed. */
    arm,
    /** Cancels the run of this schedule that is in progress: it tells no more devices. */
    end: (id: number): void => running.get(id)?.end.abort(),
    async close(): Promise<void> {
      isClosed = true;
      cancelTimer();
      for (const { end } of running.values()) end.abort();
      await Promise.race([
        Promise.all([...running.values()].map(({ settled }) => settled)),
        Bun.sleep(timing.tasks.stopMs),
      ]);
    },
  };
}
