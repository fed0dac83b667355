/** User groups and users. Their sessions and access tokens are not part of the file. */
import { isDeepStrictEqual } from 'node:util';
import { eq } from 'drizzle-orm';
import * as z from 'zod/mini';
import { limits } from '../contract/limits.ts';
import { adminOnlyPermissions, closure, groupTypes, maskOf, permissions } from '../contract/permission.ts';
import { UserName } from '../contract/rules.ts';
import { GroupDescription, GroupName, NickName } from '../contract/user-fields.ts';
import { deleteSessionsOf } from '../features/auth/store.ts';
import { clearBits } from '../features/devices/store.ts';
import { disownForwards } from '../features/forwards/store.ts';
import { disownSchedules } from '../features/schedules/store.ts';
import { disownTasks } from '../features/tasks/store.ts';
import { deleteTokensOf } from '../features/tokens/store.ts';
import { deleteUser, findUserByName, freeBit, insertUser, listUsers } from '../features/users/store.ts';
import { fieldError } from '../lib/hub-error.ts';
import { tooMany } from '../lib/refusals.ts';
import type { Queries } from '../store/database.ts';
import { revisionOfNew } from '../store/revisions.ts';
import { groupRows } from '../store/rows.ts';
import { userGroups, users } from '../store/schema.ts';
import { idOf } from './rows-by-name.ts';
import { defineSection, type SectionContext } from './section.ts';

const rootUserId = 1;
/** A built-in group keeps its name. */
const adminGroup = 'Admin';

const GroupItem = z.strictObject({
  name: GroupName,
  description: GroupDescription,
  /** Names of permissions; those of administrators are not in the file. */
  permissions: z.optional(z.array(z.enum(permissions, 'choice'))),
});
type GroupItem = z.infer<typeof GroupItem>;

const UserItem = z.strictObject({
  name: UserName,
  nick: NickName,
  /** Name of the group. */
  group: z.string(),
});
type UserItem = z.infer<typeof UserItem>;

/** argon2id in its usual form, and the key that verifies proofs. */
const Credentials = z.object({
  'password-hash': z.optional(z.string().check(z.regex(/^\$argon2id\$[\x20-\x7e]{20,400}$/))),
  'sign-in-key': z.optional(z.string().check(z.maxLength(1000))),
});

export function peopleSections({ secrets, now }: SectionContext) {
  const credentialsOf = (secret: unknown) => {
    const checked = Credentials.safeParse(secret);
    if (!checked.success) throw fieldError('password-hash', 'format', 'not the hash of a password');
    const { 'password-hash': hash, 'sign-in-key': key } = checked.data;
    return { passwordHash: hash ?? null, signInKey: key === undefined ? null : secrets.seal(key) };
  };
  const opened = (sealed: string | null): string | undefined => {
    try {
      return sealed === null ? undefined : secrets.open(sealed);
    } catch {
      return undefined;
    }
  };
  return [
    defineSection<GroupItem>({
      ...{ name: 'user-groups', limit: limits.userGroups, schema: GroupItem, keyOf: ({ name }) => name },
      read: (db) =>
        groupRows.list(db).map(({ name, description, type, permissionMask }) => ({
          value: {
            ...{ name, description },
            ...(type !== groupTypes.admin && {
              permissions: permissions.filter((permission) => (permissionMask & maskOf(permission)) !== 0),
            }),
          },
          secret: {},
        })),
      check({ value }) {
        const asked = value.permissions;
        if (asked !== undefined && asked.length === 0) throw fieldError('permissions', 'required', 'none is given');
        const refused = adminOnlyPermissions.find((permission) => asked?.includes(permission));
        if (refused) throw fieldError('permissions', 'adminOnly', `only administrators hold ${refused}`);
      },
      put(tx, { value: { name, description, permissions: asked } }) {
        const id = idOf(tx, userGroups, name);
        const type = id === undefined ? groupTypes.custom : groupRows.find(tx, id)?.type;
        if (type !== groupTypes.admin && asked === undefined) throw fieldError('permissions', 'required', 'required');
        const permissionMask = closure(maskOf(...(asked ?? [])));
        if (id === undefined) {
          const free = freeBit(groupRows.list(tx), limits.userGroups);
          if (free === undefined) throw tooMany('user groups', limits.userGroups);
          const revision = revisionOfNew(tx, { noun: 'group', id: free });
          groupRows.insert(tx, { id: free, name, description, type: groupTypes.custom, permissionMask, revision });
          return;
        }
        groupRows.update(tx, id, { description, ...(type !== groupTypes.admin && { permissionMask }) });
        if (type !== groupTypes.admin) for (const user of membersOf(tx, id)) endAccess(tx, user.id);
      },
      remove(tx, key) {
        const id = idOf(tx, userGroups, key) ?? 0;
        // The built-in ones stay.
        if (groupRows.find(tx, id)?.type !== groupTypes.custom) return;
        // Users whose group the file changes as well get theirs later.
        tx.update(users).set({ groupId: groupTypes.viewer }).where(eq(users.groupId, id)).run();
        groupRows.delete(tx, [id]);
        clearBits(tx, { groupId: id });
      },
      edited: (db, key) => ({ noun: 'group', id: idOf(db, userGroups, key) ?? 0 }),
    }),
    defineSection<UserItem>({
      ...{ name: 'users', limit: limits.users, schema: UserItem, keyOf: ({ name }) => name },
      read: (db) =>
        listUsers(db).map(({ name, nick, groupName, passwordHash, signInKey }) => ({
          value: { name, nick, group: groupName },
          secret: {
            ...(passwordHash !== null && { 'password-hash': passwordHash }),
            ...(opened(signInKey) !== undefined && { 'sign-in-key': opened(signInKey) }),
          },
        })),
      check: ({ secret }) => void credentialsOf(secret),
      /** Such a user cannot sign in until an administrator sets a password. */
      lost: () => ({}),
      keepsSecret: () => true,
      needsRoot: (now, { value, secret }) =>
        value.group === adminGroup && (now?.value.group !== adminGroup || !isDeepStrictEqual(now.secret, secret)),
      put(tx, { value: { name, nick, group }, secret }) {
        const groupId = idOf(tx, userGroups, group);
        if (groupId === undefined) throw fieldError('group', 'notExist', `there is no user group '${group}'`);
        const known = findUserByName(tx, name);
        const credentials = credentialsOf(secret);
        if (known === undefined) {
          const people = listUsers(tx);
          const isTaken = people.some((user) => user.name.toLowerCase() === name.toLowerCase());
          if (isTaken) throw fieldError('name', 'exists', 'names that differ only in case would be confused');
          const id = freeBit(people, limits.users);
          if (id === undefined) throw tooMany('users', limits.users);
          const revision = revisionOfNew(tx, { noun: 'user', id });
          insertUser(tx, { ...{ id, name, nick, groupId, revision, createdAt: now() }, ...credentials });
          return;
        }
        if (known.id === rootUserId && groupId !== groupTypes.admin) {
          throw fieldError('group', 'rootUser', 'the user Admin must remain an administrator');
        }
        // A hub without a password of Admin would be anybody's who reaches it.
        const kept = known.id === rootUserId && credentials.passwordHash === null ? {} : credentials;
        tx.update(users)
          .set({ nick, groupId, ...kept })
          .where(eq(users.id, known.id))
          .run();
        if (groupId !== known.groupId || credentials.passwordHash !== known.passwordHash) endAccess(tx, known.id);
      },
      remove(tx, key) {
        const user = findUserByName(tx, key);
        if (user === undefined || user.id === rootUserId) return;
        deleteUser(tx, user.id);
        // The next new user may get the same id.
        clearBits(tx, { userId: user.id });
        disownTasks(tx, user.id);
        disownSchedules(tx, user.id);
        disownForwards(tx, user.id);
      },
      edited(db, key) {
        const user = findUserByName(db, key);
        return user && { noun: 'user', id: user.id };
      },
    }),
  ];
}

function membersOf(tx: Queries, groupId: number): { readonly id: number }[] {
  return tx.select({ id: users.id }).from(users).where(eq(users.groupId, groupId)).all();
}

function endAccess(tx: Queries, userId: number): void {
  deleteSessionsOf(tx, userId, undefined);
  deleteTokensOf(tx, userId);
}
