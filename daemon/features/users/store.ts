import { eq } from 'drizzle-orm';
import type { Queries } from '../../store/database.ts';
import { userGroups, users } from '../../store/schema.ts';

export interface StoredUser {
  readonly id: number;
  readonly name: string;
  readonly passwordHash: string | null;
  readonly groupName: string;
  readonly type: number;
  readonly permission: number;
}

const columns = {
  id: users.id,
  name: users.name,
  passwordHash: users.passwordHash,
  groupName: userGroups.name,
  type: userGroups.type,
  permission: userGroups.permissionMask,
};

export function findUserByName(db: Queries, name: string): StoredUser | undefined {
  return db
    .select(columns)
    .from(users)
    .innerJoin(userGroups, eq(users.groupId, userGroups.id))
    .where(eq(users.name, name))
    .get();
}

export function findUser(db: Queries, id: number): StoredUser | undefined {
  return db
    .select(columns)
    .from(users)
    .innerJoin(userGroups, eq(users.groupId, userGroups.id))
    .where(eq(users.id, id))
    .get();
}

export function userIds(db: Queries): number[] {
  return db
    .select({ id: users.id })
    .from(users)
    .all()
    .map((row) => row.id);
}

export function hasGroup(db: Queries, id: number): boolean {
  return db.select({ id: userGroups.id }).from(userGroups).where(eq(userGroups.id, id)).get() !== undefined;
}

export function insertUser(
  db: Queries,
  user: { id: number; name: string; groupId: number; passwordHash: string; createdAt: number },
): void {
  db.insert(users).values(user).run();
}

export function setPasswordHash(db: Queries, id: number, passwordHash: string): void {
  db.update(users).set({ passwordHash }).where(eq(users.id, id)).run();
}
