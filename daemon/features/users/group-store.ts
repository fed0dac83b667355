import { eq } from 'drizzle-orm';
import type { Queries } from '../../store/database.ts';
import { userGroups } from '../../store/schema.ts';

export type StoredGroup = typeof userGroups.$inferSelect;

export function findGroup(db: Queries, id: number): StoredGroup | undefined {
  return db.select().from(userGroups).where(eq(userGroups.id, id)).get();
}

/** Returns all groups (at most 6) in order of creation, the built-in ones first. */
export function listGroups(db: Queries): StoredGroup[] {
  return db.select().from(userGroups).orderBy(userGroups.id).all();
}

export function insertGroup(db: Queries, group: StoredGroup): void {
  db.insert(userGroups).values(group).run();
}

export function updateGroup(
  db: Queries,
  id: number,
  change: Partial<Pick<StoredGroup, 'name' | 'description' | 'permissionMask'>>,
): void {
  db.update(userGroups).set(change).where(eq(userGroups.id, id)).run();
}

export function deleteGroup(db: Queries, id: number): void {
  db.delete(userGroups).where(eq(userGroups.id, id)).run();
}
