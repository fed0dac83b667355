import { eq, inArray, sql } from 'drizzle-orm';
import type { Queries } from '../../store/database.ts';
import { userGroups, users } from '../../store/schema.ts';
import type { Credentials } from './credentials.ts';

export type StoredGroup = typeof userGroups.$inferSelect;

export interface StoredUser {
  readonly id: number;
  readonly name: string;
  readonly nick: string;
  readonly passwordHash: string | null;
  /** Sealed; null for users of older hubs. */
  readonly signInKey: string | null;
  readonly groupId: number;
  readonly groupName: string;
  readonly type: number;
  readonly permission: number;
  readonly revision: number;
}

const columns = {
  id: users.id,
  name: users.name,
  nick: users.nick,
  passwordHash: users.passwordHash,
  signInKey: users.signInKey,
  groupId: users.groupId,
  groupName: userGroups.name,
  type: userGroups.type,
  permission: userGroups.permissionMask,
  revision: users.revision,
};

function selectUsers(db: Queries) {
  return db.select(columns).from(users).innerJoin(userGroups, eq(users.groupId, userGroups.id));
}

export function findUserByName(db: Queries, name: string): StoredUser | undefined {
  return selectUsers(db).where(eq(users.name, name)).get();
}

export function findUser(db: Queries, id: number): StoredUser | undefined {
  return selectUsers(db).where(eq(users.id, id)).get();
}

/** Returns all users (at most 32): Admin first, then by name. */
export function listUsers(db: Queries): StoredUser[] {
  return selectUsers(db).orderBy(sql`${users.id} <> 1`, users.name).all();
}

export function insertUser(
  db: Queries,
  user: Pick<StoredUser, 'id' | 'name' | 'nick' | 'groupId' | 'passwordHash' | 'signInKey' | 'revision'> & {
    readonly createdAt: number;
  },
): void {
  db.insert(users).values(user).run();
}

export function updateUser(db: Queries, id: number, change: { nick?: string; groupId?: number }): void {
  db.update(users).set(change).where(eq(users.id, id)).run();
}

export function moveUsers(db: Queries, ids: readonly number[], groupId: number): void {
  db.update(users)
    .set({ groupId })
    .where(inArray(users.id, [...ids]))
    .run();
}

export function setCredentials(db: Queries, id: number, credentials: Partial<Credentials>): void {
  db.update(users).set(credentials).where(eq(users.id, id)).run();
}

export function deleteUser(db: Queries, id: number): void {
  db.delete(users).where(eq(users.id, id)).run();
}

/** Returns the first free id of at most `max`: ids are single bits, and those of deleted objects are reused. */
export function freeBit(used: readonly { readonly id: number }[], max: number): number | undefined {
  const bits = Array.from({ length: max }, (_, bit) => 2 ** bit);
  return bits.find((id) => !used.some((one) => one.id === id));
}
