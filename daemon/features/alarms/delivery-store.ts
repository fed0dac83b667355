import { and, asc, count, eq, gt, inArray, lte } from 'drizzle-orm';
import type { MailAttempt, WebhookAttempt } from '../../contract/alarms.ts';
import type { Queries } from '../../store/database.ts';
import { alarmDeliveries, alarmTargets } from '../../store/schema.ts';

export type TargetName = 'webhook' | 'mail';
export type DeliveryRow = typeof alarmDeliveries.$inferSelect;
type TargetRow = Omit<typeof alarmTargets.$inferSelect, 'name'>;

export type Attempt = WebhookAttempt | MailAttempt;

const unknown: TargetRow = { dropped: 0, last: null, acceptedAt: 0 };

export function readTarget(db: Queries, name: TargetName): TargetRow {
  return db.select().from(alarmTargets).where(eq(alarmTargets.name, name)).get() ?? unknown;
}

export function writeTarget(db: Queries, name: TargetName, row: TargetRow): void {
  const values = { ...row, name };
  db.insert(alarmTargets).values(values).onConflictDoUpdate({ target: alarmTargets.name, set: values }).run();
}

const { id, target } = alarmDeliveries;

export function insertDelivery(db: Queries, to: TargetName, body: string): void {
  db.insert(alarmDeliveries).values({ target: to, body }).run();
}

/** The oldest first. */
export function listDeliveries(
  db: Queries,
  to: TargetName,
  { after, limit }: { readonly after: number; readonly limit: number },
): DeliveryRow[] {
  const where = and(eq(target, to), gt(id, after));
  return db.select().from(alarmDeliveries).where(where).orderBy(asc(id)).limit(limit).all();
}

export function countDeliveries(db: Queries, to: TargetName): number {
  return db.select({ count: count() }).from(alarmDeliveries).where(eq(target, to)).get()?.count ?? 0;
}

export function deleteOldestDeliveries(db: Queries, to: TargetName, limit: number): void {
  const oldest = db.select({ id }).from(alarmDeliveries).where(eq(target, to)).orderBy(asc(id)).limit(limit);
  db.delete(alarmDeliveries).where(inArray(id, oldest)).run();
}

/** Without `upTo`, all of them. */
export function deleteDeliveries(db: Queries, to: TargetName, upTo?: number): void {
  db.delete(alarmDeliveries)
    .where(and(eq(target, to), upTo === undefined ? undefined : lte(id, upTo)))
    .run();
}
