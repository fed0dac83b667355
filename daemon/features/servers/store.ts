import { asc, count, eq, inArray } from 'drizzle-orm';
import type { Queries } from '../../store/database.ts';
import { servers } from '../../store/schema.ts';

export type ServerRow = typeof servers.$inferSelect;

export function listServers(db: Queries): ServerRow[] {
  return db.select().from(servers).orderBy(asc(servers.id)).all();
}

export function findServers(db: Queries, ids: readonly number[]): ServerRow[] {
  return db
    .select()
    .from(servers)
    .where(inArray(servers.id, [...ids]))
    .orderBy(asc(servers.id))
    .all();
}

export function countServers(db: Queries): number {
  return db.select({ count: count() }).from(servers).get()?.count ?? 0;
}

export function insertServer(db: Queries, server: Omit<ServerRow, 'id' | 'revision'>): number {
  return db.insert(servers).values(server).returning({ id: servers.id }).get().id;
}

export function updateServer(
  db: Queries,
  id: number,
  change: Partial<Omit<ServerRow, 'id' | 'createdAt' | 'revision'>>,
): void {
  db.update(servers).set(change).where(eq(servers.id, id)).run();
}

export function deleteServers(db: Queries, ids: readonly number[]): void {
  db.delete(servers)
    .where(inArray(servers.id, [...ids]))
    .run();
}
