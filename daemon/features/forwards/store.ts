import { count, eq, getTableColumns } from 'drizzle-orm';
import type { Queries } from '../../store/database.ts';
import { forwardPorts, forwards } from '../../store/forward-tables.ts';
import type { Edited } from '../../store/revisions.ts';
import { devices } from '../../store/schema.ts';

export type StoredForward = typeof forwards.$inferSelect;
/** With the serial number of its device. */
export type ForwardRow = StoredForward & { readonly sn: string };

export const forwardEdit = (id: number): Edited => ({ noun: 'forward', id });

/** Returns all of them in order of creation. */
export function listForwards(db: Queries): ForwardRow[] {
  return db
    .select({ ...getTableColumns(forwards), sn: devices.sn })
    .from(forwards)
    .innerJoin(devices, eq(forwards.deviceId, devices.id))
    .orderBy(forwards.id)
    .all();
}

export function countForwards(db: Queries): number {
  return db.select({ count: count() }).from(forwards).get()?.count ?? 0;
}

/** Returns the id. */
export function insertForward(tx: Queries, row: typeof forwards.$inferInsert): number {
  return tx.insert(forwards).values(row).returning({ id: forwards.id }).get().id;
}

export function updateForward(tx: Queries, id: number, change: Partial<StoredForward>): void {
  tx.update(forwards).set(change).where(eq(forwards.id, id)).run();
}

export function deleteForward(tx: Queries, id: number): void {
  tx.delete(forwards).where(eq(forwards.id, id)).run();
}

/** Ids of users are used again: what a deleted user started must not run for the next one. */
export function disownForwards(tx: Queries, ownerId: number): void {
  tx.update(forwards).set({ ownerId: 0 }).where(eq(forwards.ownerId, ownerId)).run();
}

/** Returns the added ports by the serial number of the device. */
export function listAddedPorts(db: Queries): Map<string, readonly number[]> {
  const rows = db
    .select({ sn: devices.sn, ports: forwardPorts.ports })
    .from(forwardPorts)
    .innerJoin(devices, eq(forwardPorts.deviceId, devices.id))
    .all();
  return new Map(rows.map(({ sn, ports }) => [sn, ports]));
}

export function storeAddedPorts(tx: Queries, deviceId: number, ports: number[]): void {
  if (ports.length === 0) tx.delete(forwardPorts).where(eq(forwardPorts.deviceId, deviceId)).run();
  else {
    tx.insert(forwardPorts)
      .values({ deviceId, ports })
      .onConflictDoUpdate({ target: forwardPorts.deviceId, set: { ports } })
      .run();
  }
}
