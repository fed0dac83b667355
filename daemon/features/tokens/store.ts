import { asc, count, eq, inArray } from 'drizzle-orm';
import type { Session } from '../../http/route.ts';
import type { Queries } from '../../store/database.ts';
import { signedInUser } from '../../store/rows.ts';
import { accessTokens, userGroups, users } from '../../store/schema.ts';

export interface StoredToken {
  readonly id: number;
  readonly name: string;
  readonly permissionMask: number;
  readonly createdAt: number;
  /** Null: never expires. */
  readonly expiresAt: number | null;
  readonly lastUsedAt: number | null;
  readonly lastAddress: string;
  readonly owner: Session['user'];
}

const columns = {
  id: accessTokens.id,
  name: accessTokens.name,
  permissionMask: accessTokens.permissionMask,
  createdAt: accessTokens.createdAt,
  expiresAt: accessTokens.expiresAt,
  lastUsedAt: accessTokens.lastUsedAt,
  lastAddress: accessTokens.lastAddress,
  owner: signedInUser,
};

function selectTokens(db: Queries) {
  return db
    .select(columns)
    .from(accessTokens)
    .innerJoin(users, eq(accessTokens.userId, users.id))
    .innerJoin(userGroups, eq(users.groupId, userGroups.id));
}

export function findTokenByHash(db: Queries, hash: string): StoredToken | undefined {
  return selectTokens(db).where(eq(accessTokens.hash, hash)).get();
}

export function findToken(db: Queries, id: number): StoredToken | undefined {
  return selectTokens(db).where(eq(accessTokens.id, id)).get();
}

/** Returns the tokens of one user, or of all. */
export function listTokens(db: Queries, userId: number | undefined): StoredToken[] {
  const own = userId === undefined ? undefined : eq(accessTokens.userId, userId);
  return selectTokens(db).where(own).orderBy(asc(accessTokens.id)).all();
}

export function countTokens(db: Queries): number {
  return db.select({ count: count() }).from(accessTokens).get()?.count ?? 0;
}

export function insertToken(db: Queries, token: typeof accessTokens.$inferInsert): number {
  return db.insert(accessTokens).values(token).returning({ id: accessTokens.id }).get().id;
}

export function touchToken(db: Queries, id: number, lastUsedAt: number, lastAddress: string): void {
  db.update(accessTokens).set({ lastUsedAt, lastAddress }).where(eq(accessTokens.id, id)).run();
}

/** Deletes the tokens of a user; returns their ids. */
export function deleteTokensOf(db: Queries, userId: number): number[] {
  return db
    .delete(accessTokens)
    .where(eq(accessTokens.userId, userId))
    .returning({ id: accessTokens.id })
    .all()
    .map((row) => row.id);
}

export function deleteTokens(db: Queries, ids: readonly number[]): void {
  db.delete(accessTokens)
    .where(inArray(accessTokens.id, [...ids]))
    .run();
}
