/** Schedules: the rules, and the transactions with their entries in the operation log. */
import type { BodyOf, QueryOf } from '../../contract/endpoint.ts';
import { limits } from '../../contract/limits.ts';
import type { OperationChange } from '../../contract/logs.ts';
import { groupTypes } from '../../contract/permission.ts';
import { type ScheduleAction, type SchedulePart, scheduleParts } from '../../contract/schedule-fields.ts';
import {
  actionOf,
  type FailedDevice,
  type Schedule,
  type ScheduleConfig,
  type scheduleApi,
} from '../../contract/schedules.ts';
import { accessOf, type CallerAccess } from '../../http/object-access.ts';
import { principalOf } from '../../http/principal.ts';
import type { Actor, Session } from '../../http/route.ts';
import { createEmitter } from '../../lib/emitter.ts';
import { fieldError, HubError } from '../../lib/hub-error.ts';
import { windowOf } from '../../lib/list-page.ts';
import { nameTaken, notExist, tooMany } from '../../lib/refusals.ts';
import { transaction } from '../../store/database.ts';
import { type Edited, refuseStale, revisionOf } from '../../store/revisions.ts';
import { scheduleRows } from '../../store/rows.ts';
import { nextRun } from './calendar.ts';
import type { ScheduleDeps } from './deps.ts';
import { createRunner, handledUntil } from './runner.ts';
import type { ScheduleRow } from './store.ts';

export type ScheduleService = ReturnType<typeof createScheduleService>;
type Config = ScheduleConfig;

/** A user who changes schedules. */
export interface Editor {
  readonly actor: Actor;
  readonly session: Session;
  readonly objects: CallerAccess;
}

export function createScheduleService(deps: ScheduleDeps) {
  const { db, audit, clock, devices } = deps;
  const rows = new Map<number, ScheduleRow>(scheduleRows.list(db).map((row) => [row.id, row]));
  const changes = createEmitter<[ids: readonly number[]]>();
  const reload = (ids: readonly number[]): void => {
    for (const id of ids) {
      const row = scheduleRows.find(db, id);
      if (row === undefined) rows.delete(id);
      else rows.set(id, row);
    }
    changes.emit(ids);
  };
  const runner = createRunner({ ...deps, rows: () => rows.values(), onStored: reload });
  const onChanged = (ids: readonly number[]): void => {
    reload(ids);
    runner.arm();
  };

  const problemOf = (row: ScheduleRow): Schedule['problem'] => {
    if (row.ownerId === 0) return 'ownerDeleted';
    return row.tokenId !== 0 && deps.currentSession(row) === null ? 'tokenEnded' : undefined;
  };
  const view = (row: ScheduleRow): Schedule => {
    const problem = problemOf(row);
    const isOn = row.enabled && problem === undefined;
    const next = isOn ? nextRun(row, handledUntil(row, clock.now()), clock.zone()) : undefined;
    const { failed: _, ...last } = row.last ?? { failed: [] };
    return {
      ...{ id: row.id, name: row.name, enabled: isOn, action: row.action, devices: row.devices.length },
      ...{ owner: row.owner, revision: row.revision },
      ...(row.start !== null && { start: row.start }),
      ...(row.stop !== null && { stop: row.stop }),
      ...(row.date === null ? { days: row.days } : { date: row.date }),
      ...(problem && { problem }),
      ...(next && { next: { time: next.at, part: next.part } }),
      ...(row.last !== null && { last: last as Schedule['last'] & object }),
    };
  };
  /** Owners see their schedules, others those of which they see a device. */
  const canSee = (session: Session, row: ScheduleRow): boolean => {
    const { user } = session;
    if (user.type === groupTypes.admin || (row.ownerId !== 0 && row.ownerId === user.id)) return true;
    const objects = accessOf(deps.access, session);
    return row.devices.some((sn) => {
      const found = devices.find(sn);
      return found !== undefined && objects.canSee(found.guard);
    });
  };
  const visible = (session: Session, id: number): ScheduleRow => {
    const row = rows.get(id);
    if (row === undefined || !canSee(session, row)) throw notExist('schedule', id);
    return row;
  };
  /** Two schedules that a user sees have different names. */
  const refuseTaken = (session: Session, name: string, self: number | undefined): void => {
    const taken = [...rows.values()].some((row) => row.name === name && row.id !== self && canSee(session, row));
    if (taken) throw nameTaken(name);
  };
  /** Owners may end what they have planned, also if they have lost a permission since. */
  const refuseStranger = (row: ScheduleRow, { session, objects }: Editor): void => {
    if (row.ownerId === session.user.id) return;
    for (const sn of row.devices) {
      const found = devices.find(sn);
      if (found === undefined || objects.canAct(found.guard, 'deviceControl')) continue;
      const name = objects.canSee(found.guard) ? `'${found.name}'` : 'a device of the schedule';
      throw new HubError('notPermitted', `no permission to control ${name}`);
    }
  };

  return {
    rows: (): Iterable<ScheduleRow> => rows.values(),
    find: (id: number): ScheduleRow | undefined => rows.get(id),
    ...{ view, canSee, reload },
    onChange: changes.on,
    list(session: Session, { start, count }: QueryOf<typeof scheduleApi.list>) {
      const seen = [...rows.values()].filter((row) => canSee(session, row));
      const page = windowOf(seen, start, count ?? seen.length);
      return { ...page, list: page.list.map(view), total: seen.length, zone: clock.zone() };
    },
    query({ session, objects }: Omit<Editor, 'actor'>, id: number) {
      const row = visible(session, id);
      const seen = (sn: string) => {
        const found = devices.find(sn);
        return found !== undefined && objects.canSee(found.guard) ? found : undefined;
      };
      const failed = (row.last?.failed ?? []).flatMap(({ sn, fault }): FailedDevice[] => {
        const found = seen(sn);
        return found === undefined ? [] : [{ sn, name: found.name, fault }];
      });
      return { ...view(row), sn: row.devices.filter((sn) => seen(sn) !== undefined), failed };
    },
    /** Returns the id. */
    add(editor: Editor, config: Config): number {
      const stored = storedConfig(deps, editor, config);
      const id = transaction<number>(db, (tx) => {
        if (scheduleRows.count(tx) >= limits.schedules.count) throw tooMany('schedules', limits.schedules.count);
        refuseTaken(editor.session, config.name, undefined);
        const added = scheduleRows.insert(tx, { ...stored, createdAt: clock.now() });
        const edited = [scheduleEdit(added)];
        audit.record(tx, editor.actor, {
          ...{ action: 'schedule.add', subject: config.name, changes: changesOf(stored), edited },
        });
        return added;
      });
      onChanged([id]);
      return id;
    },
    /** Returns the new revision. */
    set(editor: Editor, { id, enabled, config, revision }: BodyOf<typeof scheduleApi.set>): number {
      const row = visible(editor.session, id);
      refuseStranger(row, editor);
      const change = config ? storedConfig(deps, editor, config) : enabledChange(deps, editor, row, enabled === true);
      const said = config ? changesOf(change) : [{ word: 'enabled', value: `${enabled}` } as const];
      const edited = scheduleEdit(id);
      const now = transaction<number>(db, (tx) => {
        refuseStale(tx, edited, row.name, revision);
        if (config) refuseTaken(editor.session, config.name, id);
        scheduleRows.update(tx, id, change);
        audit.record(tx, editor.actor, { action: 'schedule.set', subject: row.name, changes: said, edited: [edited] });
        return revisionOf(tx, edited);
      });
      if (change.enabled === false) runner.end(id);
      onChanged([id]);
      return now;
    },
    del(editor: Editor, ids: readonly number[]): void {
      const gone = ids.map((id) => visible(editor.session, id));
      for (const row of gone) refuseStranger(row, editor);
      transaction<void>(db, (tx) => {
        scheduleRows.delete(tx, ids);
        for (const { name } of gone) audit.record(tx, editor.actor, { action: 'schedule.del', subject: name });
      });
      for (const id of ids) runner.end(id);
      onChanged(ids);
    },
    start: runner.start,
    close: runner.close,
  };
}

type Stored = Omit<ScheduleRow, 'createdAt' | 'id' | 'last' | 'revision'>;

/** Throws if the editor may not plan that, or it can never happen. */
function storedConfig(deps: ScheduleDeps, editor: Editor, config: Config): Stored {
  const { clock } = deps;
  const { session } = editor;
  const { name, enabled, action, start = null, stop = null, date = null } = config;
  const sns = [...new Set(config.sn)];
  const parts = scheduleParts.filter((part) => config[part] !== undefined);
  refuseDevices(deps, editor, { sns, action, parts });
  const days = date === null ? [...new Set(config.days)].sort((a, b) => a - b) : [];
  const plan = { start, stop, days, date };
  const now = clock.now();
  if (enabled && nextRun(plan, now, clock.zone()) === undefined)
    throw fieldError('date', 'past', 'this time is in the past');
  const owner = { ...principalOf(session), owner: session.user.name };
  return { name, enabled, action, ...plan, devices: sns, ...owner, handledUntil: now };
}

/** Throws for the first device that the editor may not control, or that cannot do it. */
function refuseDevices(
  { devices }: ScheduleDeps,
  { objects }: Editor,
  { sns, action, parts }: { sns: readonly string[]; action: ScheduleAction; parts: readonly SchedulePart[] },
): void {
  for (const [position, sn] of sns.entries()) {
    const found = devices.find(sn);
    if (found === undefined || !objects.canSee(found.guard)) {
      throw new HubError('clientNotExist', 'there is no device with this serial number', {
        params: { what: 'device', position },
      });
    }
    const params = { what: found.name };
    if (!objects.canAct(found.guard, 'deviceControl'))
      throw new HubError('notPermitted', `no permission to control '${found.name}'`, { params });
    if (!parts.every((part) => devices.canEver(sn, actionOf(action, part))))
      throw new HubError('unsupported', `'${found.name}' cannot do that`, { params });
  }
}

/** Who enables a schedule is its owner from then on. */
function enabledChange(deps: ScheduleDeps, editor: Editor, row: ScheduleRow, enabled: boolean): Partial<ScheduleRow> {
  if (!enabled) return { enabled };
  // Devices that were deleted meanwhile are no reason to refuse the others.
  const sns = row.devices.filter((sn) => deps.devices.find(sn) !== undefined);
  refuseDevices(deps, editor, { sns, action: row.action, parts: scheduleParts.filter((part) => row[part] !== null) });
  // What was due meanwhile is not made up for.
  const now = deps.clock.now();
  const handled = Math.max(now, handledUntil(row, now));
  const { session } = editor;
  return { enabled, handledUntil: handled, ...principalOf(session), owner: session.user.name };
}

const scheduleEdit = (id: number): Edited => ({ noun: 'schedule', id });

function changesOf({ name, enabled, action, start, stop, days, date, devices }: Partial<Stored>): OperationChange[] {
  return [
    { word: 'name', value: name ?? '' },
    { word: 'scheduleAction', value: action ?? '' },
    ...(start == null ? [] : [{ word: 'startsAt', value: start } as const]),
    ...(stop == null ? [] : [{ word: 'stopsAt', value: stop } as const]),
    date == null ? { word: 'onDays', value: (days ?? []).join(',') } : { word: 'onDate', value: date },
    { word: 'deviceCount', value: `${devices?.length ?? 0}` },
    ...(enabled ? [] : [{ word: 'enabled', value: 'false' } as const]),
  ];
}
