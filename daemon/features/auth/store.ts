import { and, count, desc, eq, lt, ne, type SQL, sql } from 'drizzle-orm';
import type { Session } from '../../http/route.ts';
import type { Queries } from '../../store/database.ts';
import { signedInUser } from '../../store/rows.ts';
import { sessions, userGroups, users } from '../../store/schema.ts';

export interface StoredSession {
  readonly idHash: string;
  readonly createdAt: number;
  readonly lastSeenAt: number;
  readonly stays: boolean;
  readonly user: Session['user'];
}

export function findSession(db: Queries, idHash: string): StoredSession | undefined {
  return db
    .select({
      idHash: sessions.idHash,
      createdAt: sessions.createdAt,
      lastSeenAt: sessions.lastSeenAt,
      stays: sessions.stays,
      user: signedInUser,
    })
    .from(sessions)
    .innerJoin(users, eq(sessions.userId, users.id))
    .innerJoin(userGroups, eq(users.groupId, userGroups.id))
    .where(eq(sessions.idHash, idHash))
    .get();
}

/** Like `findSession`, for a session that is not stored. */
export function findSessionUser(db: Queries, userId: number): StoredSession['user'] | undefined {
  return db
    .select(signedInUser)
    .from(users)
    .innerJoin(userGroups, eq(users.groupId, userGroups.id))
    .where(eq(users.id, userId))
    .get();
}

export function insertSession(db: Queries, session: typeof sessions.$inferInsert): void {
  db.insert(sessions).values(session).run();
}

export function touchSession(db: Queries, idHash: string, lastSeenAt: number): void {
  db.update(sessions).set({ lastSeenAt }).where(eq(sessions.idHash, idHash)).run();
}

/** After the clock was set by so many milliseconds to `now`: sessions are as old as before, and none is of the future. */
export function shiftSessions(db: Queries, byMs: number, now: number): void {
  db.update(sessions)
    .set({
      createdAt: sql`min(${sessions.createdAt} + ${byMs}, ${now})`,
      lastSeenAt: sql`min(${sessions.lastSeenAt} + ${byMs}, ${now})`,
    })
    .run();
}

export function deleteSession(db: Queries, idHash: string): void {
  db.delete(sessions).where(eq(sessions.idHash, idHash)).run();
}

function deleteWhere(db: Queries, where: SQL | undefined): string[] {
  const deleted = db.delete(sessions).where(where).returning({ idHash: sessions.idHash }).all();
  return deleted.map(({ idHash }) => idHash);
}

export function setSessionStays(db: Queries, idHash: string, stays: boolean): void {
  db.update(sessions).set({ stays }).where(eq(sessions.idHash, idHash)).run();
}

/** Deletes sessions last seen before `limit`, except those that stay; returns their ids. */
export function deleteSessionsSeenBefore(db: Queries, limit: number): string[] {
  return deleteWhere(db, and(lt(sessions.lastSeenAt, limit), eq(sessions.stays, false)));
}

/** Deletes sessions started before `limit`; returns their ids. */
export function deleteSessionsCreatedBefore(db: Queries, limit: number): string[] {
  return deleteWhere(db, lt(sessions.createdAt, limit));
}

export function countSessions(db: Queries, userId: number): number {
  return db.select({ count: count() }).from(sessions).where(eq(sessions.userId, userId)).get()?.count ?? 0;
}

export type SessionRow = typeof sessions.$inferSelect;

/** Returns the sessions of a user, the newest first, also among those that began in the same millisecond. */
export function listSessions(db: Queries, userId: number): SessionRow[] {
  return db
    .select()
    .from(sessions)
    .where(eq(sessions.userId, userId))
    .orderBy(desc(sessions.createdAt), desc(sql`rowid`))
    .all();
}

/** Deletes all sessions of a user except `except`; returns their ids. */
export function deleteSessionsOf(db: Queries, userId: number, except: string | undefined): string[] {
  const others = except === undefined ? undefined : ne(sessions.idHash, except);
  return deleteWhere(db, and(eq(sessions.userId, userId), others));
}

/** Returns the session of a user that has been idle for longest. */
export function oldestSession(db: Queries, userId: number): string | undefined {
  return db
    .select({ idHash: sessions.idHash })
    .from(sessions)
    .where(eq(sessions.userId, userId))
    .orderBy(sessions.lastSeenAt)
    .limit(1)
    .get()?.idHash;
}

/** Returns which users are signed in from where, the longest idle first. */
export function listPlaces(db: Queries): { name: string; ip: string }[] {
  return db
    .select({ name: users.name, ip: sessions.address })
    .from(sessions)
    .innerJoin(users, eq(sessions.userId, users.id))
    .orderBy(sessions.lastSeenAt)
    .all();
}
