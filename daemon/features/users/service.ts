import type { EndReason } from '../../contract/auth.ts';
import type { BodyOf } from '../../contract/endpoint.ts';
import { limits } from '../../contract/limits.ts';
import type { OperationChange } from '../../contract/logs.ts';
import type { PasswordRule } from '../../contract/password-rule.ts';
import { groupTypes, maskOf, permissions } from '../../contract/permission.ts';
import type { User, userApi } from '../../contract/users.ts';
import type { Actor } from '../../http/route.ts';
import { fieldError, HubError } from '../../lib/hub-error.ts';
import type { Passwords } from '../../lib/password.ts';
import { nameTaken, tooMany } from '../../lib/refusals.ts';
import { type Database, type Queries, transaction } from '../../store/database.ts';
import { type Edited, refuseStale, revisionOf, revisionOfNew } from '../../store/revisions.ts';
import { groupRows } from '../../store/rows.ts';
import type { Secrets } from '../../store/secrets.ts';
import type { Audit } from '../logs/audit.ts';
import { type Credentials, credentialsMaker } from './credentials.ts';
import { acceptPassword, type NewPassword } from './new-password.ts';
import {
  deleteUser,
  findUser,
  findUserByName,
  freeBit,
  insertUser,
  listUsers,
  type StoredGroup,
  type StoredUser,
  setCredentials,
  updateUser,
} from './store.ts';

export type { NewPassword, StoredUser };

/** The root user Admin. */
export const rootUserId = 1;
export const rootUserName = 'Admin';

type Change = BodyOf<typeof userApi.set>;

interface UserOptions {
  readonly db: Database;
  readonly audit: Audit;
  readonly passwords: Passwords;
  readonly secrets: Pick<Secrets, 'seal'>;
  readonly passwordRule: () => PasswordRule;
  /** Whether the hub accepts the MD5 of a new password instead of the password. */
  readonly allowsMd5: () => boolean;
  /** Called within the transaction that deletes a user or revokes permissions. */
  readonly endSessions: (tx: Queries, userId: number, reason: EndReason) => void;
  /** Called after permissions changed. */
  readonly onRights: () => void;
  /** Called at the end of the transaction that deletes a user; the next new user may get the same id. */
  readonly onDeleted: (tx: Queries, userId: number) => void;
  readonly now: () => number;
}

export type UserService = ReturnType<typeof createUserService>;

export function createUserService(options: UserOptions) {
  const { db, audit, now } = options;
  const credentials = credentialsMaker(options.passwords, options.secrets);
  const accept = (given: NewPassword, name: string) =>
    acceptPassword(given, { rule: options.passwordRule(), userName: name, allowsMd5: options.allowsMd5() });
  let setUpDone = false;
  const isSetUp = () => {
    setUpDone ||= findUser(db, rootUserId)?.passwordHash != null;
    return setUpDone;
  };
  return {
    find: (id: number): StoredUser | undefined => findUser(db, id),
    findByName: (name: string): StoredUser | undefined => findUserByName(db, name),
    list: (): User[] => listUsers(db).map(showUser),
    stored: (): StoredUser[] => listUsers(db),
    /** Whether the root user has a password, which means that the first start is complete. */
    isSetUp,
    async create(
      actor: Actor,
      { name, nick = '', 'group-id': groupId = groupTypes.viewer, ...given }: BodyOf<typeof userApi.add>,
    ): Promise<number> {
      const md5 = accept(given, name);
      const made = await credentials(md5);
      return transaction(db, (tx) => {
        const group = existingGroup(tx, groupId);
        refuseHandOut(actor, group.permissionMask);
        const people = listUsers(tx);
        // Two names that differ only in case would be confused.
        const isTaken = people.some((user) => user.name.toLowerCase() === name.toLowerCase());
        if (isTaken) throw nameTaken(name);
        const id = freeBit(people, limits.users);
        if (id === undefined) throw tooMany('users', limits.users);
        const revision = revisionOfNew(tx, userEdit(id));
        insertUser(tx, { ...{ id, name, nick, groupId, ...made }, ...{ revision, createdAt: now() } });
        const changes: OperationChange[] = [{ word: 'group', value: group.name }];
        const edited = [groupEdit(groupId)];
        audit.record(tx, actor, { action: 'user.add', subject: name, changes, edited });
        return id;
      });
    },
    /** Returns the MD5 of a new password that meets the rule and that the actor may set; throws otherwise. */
    acceptPassword(actor: Actor, name: string, given: NewPassword): string {
      refuseHandOut(actor, findUserByName(db, name)?.permission ?? 0);
      return accept(given, name);
    },
    /** Returns the credentials to store for a password, from its MD5. */
    credentials,
    /** Returns the id of the user. */
    storePassword(tx: Queries, name: string, made: Credentials): number {
      const { id } = existingUser(tx, name);
      setCredentials(tx, id, made);
      return id;
    },
    /** For a user without a key whose password was just verified. */
    storeSignInKey: (tx: Queries, id: number, signInKey: string): void => setCredentials(tx, id, { signInKey }),
    /** Returns the new revision. */
    set(actor: Actor, change: Change): number {
      const revision = transaction(db, (tx) => set(tx, options, actor, change));
      options.onRights();
      return revision;
    },
    /** Also deletes the user's sessions and tokens. */
    del(actor: Actor, name: string): void {
      transaction<void>(db, (tx) => {
        const user = existingUser(tx, name);
        if (user.id === rootUserId) throw new HubError('notPermitted', 'the user Admin cannot be deleted');
        if (user.name === actor.name) throw new HubError('notPermitted', 'you cannot delete your own account');
        options.endSessions(tx, user.id, 'userDeleted');
        deleteUser(tx, user.id);
        const edited = [groupEdit(user.groupId)];
        audit.record(tx, actor, { action: 'user.del', subject: name, edited });
        options.onDeleted(tx, user.id);
      });
      options.onRights();
    },
    /** Sets the first password of the root user; throws `wrongState` (38) if there already is one. */
    async setUp(actor: Actor, password: string): Promise<void> {
      if (isSetUp()) throw alreadySetUp();
      const md5 = accept({ password }, rootUserName);
      const made = await credentials(md5);
      transaction(db, (tx) => {
        if (findUser(tx, rootUserId)?.passwordHash != null) throw alreadySetUp();
        setCredentials(tx, rootUserId, made);
        audit.record(tx, actor, { action: 'setup.finish', subject: 'Admin' });
      });
    },
  };
}

function set(
  tx: Queries,
  options: UserOptions,
  actor: Actor,
  { name, nick, 'group-id': groupId, revision }: Change,
): number {
  const user = existingUser(tx, name);
  refuseStale(tx, userEdit(user.id), name, revision);
  const changes: OperationChange[] = [];
  if (nick !== undefined && nick !== user.nick) {
    changes.push(nick === '' ? { word: 'noNick' } : { word: 'nick', value: nick });
  }
  const group = groupId === undefined || groupId === user.groupId ? undefined : existingGroup(tx, groupId);
  if (group) {
    refuseLockOut(user, group, actor);
    refuseHandOut(actor, group.permissionMask);
    changes.push({ word: 'group', value: group.name });
  }
  if (changes.length === 0) return user.revision;
  updateUser(tx, user.id, { ...(nick !== undefined && { nick }), ...(group && { groupId: group.id }) });
  if (group && losesRights(user.permission, group.permissionMask)) options.endSessions(tx, user.id, 'rightsChanged');
  const edited = [userEdit(user.id), ...(group ? [groupEdit(user.groupId), groupEdit(group.id)] : [])];
  options.audit.record(tx, actor, { action: 'user.set', subject: name, changes, edited });
  return revisionOf(tx, userEdit(user.id));
}

export function userEdit(id: number): Edited {
  return { noun: 'user', id };
}

/** The members are part of a group. */
export function groupEdit(id: number): Edited {
  return { noun: 'group', id };
}

/** There is always a user who can manage users: Admin stays an administrator, and users cannot demote themselves. */
export function refuseLockOut(user: Pick<StoredUser, 'id' | 'name'>, group: StoredGroup, actor: Actor): void {
  if (group.type === groupTypes.admin) return;
  if (user.id === rootUserId) throw fieldError('group-id', 'rootUser', 'the user Admin must remain an administrator');
  if (user.name === actor.name) throw fieldError('group-id', 'self', 'you cannot remove your own permissions');
}

/** A token with fewer permissions than its owner must not create a user with more. */
export function refuseHandOut({ maxPermissions }: Actor, rights: number): void {
  if (maxPermissions === undefined || !losesRights(maskOf(...permissions) & rights, maxPermissions)) return;
  throw new HubError('notPermitted', 'an access token cannot grant more permissions than it has');
}

export function losesRights(before: number, after: number): boolean {
  return (before & ~after) !== 0;
}

export function existingUser(tx: Queries, name: string): StoredUser {
  const user = findUserByName(tx, name);
  if (user === undefined) throw new HubError('notExist', `there is no user ${name}`, { params: { what: name } });
  return user;
}

export function existingGroup(tx: Queries, id: number): StoredGroup {
  const group = groupRows.find(tx, id);
  if (group === undefined) throw new HubError('userGroupNotExist', `there is no user group ${id}`);
  return group;
}

function showUser({ id, name, nick, groupId, groupName, permission, revision }: StoredUser): User {
  return { id, name, nick, 'group-id': groupId, 'group-name': groupName, permission, revision };
}

function alreadySetUp(): HubError {
  return new HubError('wrongState', 'the password of Admin has already been set; sign in instead');
}
