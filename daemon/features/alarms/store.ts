import {
  and,
  asc,
  count,
  desc,
  eq,
  getTableColumns,
  inArray,
  isNotNull,
  isNull,
  lte,
  ne,
  notInArray,
  or,
  type SQL,
  sql,
} from 'drizzle-orm';
import type { AlarmRules } from '../../contract/alarm-fields.ts';
import { alarmKinds, deviceRuleKinds } from '../../contract/alarm-kinds.ts';
import { type AlarmSeverity, severityOf } from '../../contract/alarm-severity.ts';
import { limits } from '../../contract/limits.ts';
import type { Queries } from '../../store/database.ts';
import { alarmDeviceMutes, alarmMutes, alarmRules, alarms, alarmWebhook } from '../../store/schema.ts';

export type AlarmRow = typeof alarms.$inferSelect;
export type WebhookRow = Omit<typeof alarmWebhook.$inferSelect, 'id' | 'revision'>;
/** Id of the single webhook row. */
export const webhookId = 1;

export function listOpenAlarms(db: Queries): AlarmRow[] {
  return db.select().from(alarms).where(isNull(alarms.clearedAt)).orderBy(asc(alarms.id)).all();
}

export interface AlarmPage {
  readonly start: number;
  readonly count: number;
  readonly isActive: boolean | undefined;
  readonly channelId: number | undefined;
  readonly severity: AlarmSeverity | undefined;
  /** Serial number. */
  readonly device?: string | undefined;
  /** Alarms of these devices are left out, and of common alarms those with these ids, or all that have ended. */
  readonly hidden?: { readonly devices: readonly string[]; readonly ids: readonly number[] } | undefined;
}

export function listAlarms(db: Queries, page: AlarmPage): { total: number; list: AlarmRow[] } {
  const where = selection(page);
  const total = db.select({ total: count() }).from(alarms).where(where).get()?.total ?? 0;
  const rows = db.select().from(alarms).where(where).orderBy(desc(alarms.id));
  return { total, list: rows.limit(page.count).offset(page.start).all() };
}

function selection(page: Omit<AlarmPage, 'start' | 'count'>): SQL | undefined {
  const { isActive, channelId, severity, device, hidden } = page;
  const active = isActive ? isNull(alarms.clearedAt) : isNotNull(alarms.clearedAt);
  return and(
    isActive === undefined ? undefined : active,
    channelId === undefined ? undefined : eq(alarms.channelId, channelId),
    // Those of devices belong to no channel, and not to the hub.
    device === undefined && channelId !== 0 ? undefined : eq(alarms.device, device ?? ''),
    hidden && notInArray(alarms.device, [...hidden.devices]),
    hidden && notInArray(alarms.id, [...hidden.ids]),
    hidden && or(isNull(alarms.clearedAt), ne(alarms.device, ''), notInArray(alarms.kind, [...deviceRuleKinds])),
    severity === undefined
      ? undefined
      : inArray(
          alarms.kind,
          alarmKinds.filter((kind) => severityOf(kind) === severity),
        ),
  );
}

/** Serial numbers of the devices that have or had alarms. */
export function alarmedDevices(db: Queries): string[] {
  return db
    .selectDistinct({ device: alarms.device })
    .from(alarms)
    .where(ne(alarms.device, ''))
    .all()
    .map(({ device }) => device);
}

export function listAlarmsById(db: Queries, ids: readonly number[]): AlarmRow[] {
  return db.select().from(alarms).where(inArray(alarms.id, ids)).all();
}

/** Returns the highest id ever used for an alarm. */
export function lastAlarmId(db: Queries): number {
  return db.values<[number]>(sql`SELECT seq FROM sqlite_sequence WHERE name = 'alarms'`)[0]?.[0] ?? 0;
}

/** Keeps the newest `limits.alarms` alarms, and all active ones. */
export function insertAlarm(db: Queries, alarm: AlarmRow): void {
  db.insert(alarms).values(alarm).run();
  db.delete(alarms)
    .where(and(lte(alarms.id, alarm.id - limits.alarms), isNotNull(alarms.clearedAt)))
    .run();
}

export function updateAlarm(db: Queries, id: number, change: Partial<AlarmRow>): void {
  db.update(alarms).set(change).where(eq(alarms.id, id)).run();
}

export function deleteClearedAlarms(db: Queries, channelId: number | undefined): void {
  db.delete(alarms)
    .where(selection({ isActive: false, channelId, severity: undefined }))
    .run();
}

/** Returns until when the new alarms of each channel are muted. */
export function listMutes(db: Queries): Map<number, number> {
  const rows = db.select().from(alarmMutes).all();
  return new Map(rows.map(({ channelId, until }) => [channelId, until]));
}

/** Undefined ends the muting. Also removes what has ended by `now`. */
export function writeMute(db: Queries, channelId: number, until: number | undefined, now: number): void {
  db.delete(alarmMutes)
    .where(or(eq(alarmMutes.channelId, channelId), lte(alarmMutes.until, now)))
    .run();
  if (until !== undefined) db.insert(alarmMutes).values({ channelId, until }).run();
}

/** The same for devices, by serial number. */
export function listDeviceMutes(db: Queries): Map<string, number> {
  const rows = db.select().from(alarmDeviceMutes).all();
  return new Map(rows.map(({ device, until }) => [device, until]));
}

export function writeDeviceMute(db: Queries, device: string, until: number | undefined, now: number): void {
  db.delete(alarmDeviceMutes)
    .where(or(eq(alarmDeviceMutes.device, device), lte(alarmDeviceMutes.until, now)))
    .run();
  if (until !== undefined) db.insert(alarmDeviceMutes).values({ device, until }).run();
}

/** Returns the stored rules by channel. */
export function listRules(db: Queries): Map<number, Partial<AlarmRules>> {
  const rows = db.select().from(alarmRules).all();
  return new Map(rows.map(({ channelId, rules }) => [channelId, rules]));
}

export function writeRules(db: Queries, channelId: number, rules: Partial<AlarmRules>): void {
  db.insert(alarmRules)
    .values({ channelId, rules })
    .onConflictDoUpdate({ target: alarmRules.channelId, set: { rules } })
    .run();
}

export function readWebhook(db: Queries): WebhookRow | undefined {
  const { id: _, revision: __, ...webhook } = getTableColumns(alarmWebhook);
  return db.select(webhook).from(alarmWebhook).get();
}

export function writeWebhook(db: Queries, webhook: WebhookRow): void {
  db.insert(alarmWebhook)
    .values({ ...webhook, id: webhookId })
    .onConflictDoUpdate({ target: alarmWebhook.id, set: webhook })
    .run();
}
