import type { EndReason } from '../../contract/auth.ts';
import type { BodyOf } from '../../contract/endpoint.ts';
import { limits } from '../../contract/limits.ts';
import type { OperationChange } from '../../contract/logs.ts';
import {
  adminOnlyPermissions,
  allPermissions,
  closure,
  groupTypes,
  holds,
  maskOf,
  type Permission,
  permissions,
} from '../../contract/permission.ts';
import type { UserGroup, userApi } from '../../contract/users.ts';
import type { Actor } from '../../http/route.ts';
import { fieldError, HubError } from '../../lib/hub-error.ts';
import { nameTaken, tooMany } from '../../lib/refusals.ts';
import { refuseTaken } from '../../store/constraint.ts';
import { type Database, type Queries, transaction } from '../../store/database.ts';
import { type Edited, refuseStale, revisionOf, revisionOfNew } from '../../store/revisions.ts';
import { groupRows } from '../../store/rows.ts';
import type { Audit } from '../logs/audit.ts';
import {
  existingGroup,
  existingUser,
  groupEdit,
  losesRights,
  refuseHandOut,
  refuseLockOut,
  userEdit,
} from './service.ts';
import { freeBit, listUsers, moveUsers, type StoredGroup, type StoredUser } from './store.ts';

interface GroupOptions {
  readonly db: Database;
  readonly audit: Audit;
  /** Called within the transaction that revokes permissions of a user. */
  readonly endSessions: (tx: Queries, userId: number, reason: EndReason) => void;
  /** Called after permissions changed. */
  readonly onRights: () => void;
  /** Called within the transaction that deletes a group; the next new group may get the same id. */
  readonly onDeleted: (tx: Queries, groupId: number) => void;
}

export type GroupService = ReturnType<typeof createGroupService>;

export function createGroupService(options: GroupOptions) {
  const { db, audit } = options;
  return {
    /** `id`: only that group; empty if it does not exist. `isDetailed`: members with their ids. */
    list({ id, isDetailed }: { id?: number | undefined; isDetailed: boolean }): UserGroup[] {
      const people = listUsers(db);
      const groups = groupRows.list(db).filter((group) => id === undefined || group.id === id);
      return groups.map((group) => showGroup(group, membersOf(people, group.id), isDetailed));
    },
    add(actor: Actor, { name, permissions: asked, users = [], desc = '' }: BodyOf<typeof userApi.addGroup>): number {
      const permissionMask = grantable(asked);
      refuseHandOut(actor, permissionMask);
      const added = refusingName(name, () =>
        transaction(db, (tx) => {
          const id = freeBit(groupRows.list(tx), limits.userGroups);
          if (id === undefined) throw tooMany('user groups', limits.userGroups);
          const revision = revisionOfNew(tx, groupEdit(id));
          groupRows.insert(tx, { id, name, description: desc, type: groupTypes.custom, permissionMask, revision });
          const group = existingGroup(tx, id);
          const moved = setMembers(tx, options, actor, group, users);
          const changes = [...grantedOf(0, permissionMask), ...moved.changes];
          const { edited } = moved;
          audit.record(tx, actor, { action: 'group.add', subject: name, changes, edited });
          return id;
        }),
      );
      options.onRights();
      return added;
    },
    /** Returns the new revision. */
    set(actor: Actor, change: BodyOf<typeof userApi.setGroup>): number {
      const revision = refusingName(change.name ?? '', () => transaction(db, (tx) => set(tx, options, actor, change)));
      options.onRights();
      return revision;
    },
    /** Its members become viewers. */
    del(actor: Actor, id: number): void {
      transaction(db, (tx) => {
        const group = existingGroup(tx, id);
        if (group.type !== groupTypes.custom) throw new HubError('notPermitted', `the group ${group.name} is built in`);
        const { edited } = setMembers(tx, options, actor, group, []);
        groupRows.delete(tx, [id]);
        options.onDeleted(tx, id);
        audit.record(tx, actor, { action: 'group.del', subject: group.name, edited });
      });
      options.onRights();
    },
  };
}

function set(tx: Queries, options: GroupOptions, actor: Actor, change: BodyOf<typeof userApi.setGroup>): number {
  const group = existingGroup(tx, change.id);
  refuseStale(tx, groupEdit(group.id), group.name, change.revision);
  const { name = group.name, desc = group.description } = change;
  const permissionMask = newMask(group, change.permissions);
  if (name !== group.name && group.type !== groupTypes.custom) {
    throw fieldError('name', 'builtIn', 'a built-in group keeps its name');
  }
  const changes: OperationChange[] = [];
  if (name !== group.name) changes.push({ word: 'name', value: name });
  if (desc !== group.description) changes.push({ word: 'description', value: desc });
  changes.push(...grantedOf(group.permissionMask, permissionMask));
  refuseHandOut(actor, permissionMask & ~group.permissionMask);
  const isLowered = losesRights(group.permissionMask, permissionMask);
  if (isLowered) for (const { id } of membersOf(listUsers(tx), group.id)) options.endSessions(tx, id, 'rightsChanged');
  groupRows.update(tx, group.id, { name, description: desc, permissionMask });
  const moved = change.users && setMembers(tx, options, actor, { ...group, permissionMask }, change.users);
  changes.push(...(moved?.changes ?? []));
  if (changes.length === 0) return group.revision;
  // Moved members include this group in `edited`, so it must not be added again.
  const edited = moved && moved.edited.length > 0 ? moved.edited : [groupEdit(group.id)];
  options.audit.record(tx, actor, { action: 'group.set', subject: group.name, changes, edited });
  return revisionOf(tx, groupEdit(group.id));
}

function newMask(group: StoredGroup, asked: number | undefined): number {
  if (asked === undefined) return group.permissionMask;
  if (group.type !== groupTypes.admin) return grantable(asked);
  if (losesRights(maskOf(...permissions), asked)) {
    throw fieldError('permissions', 'builtIn', 'administrators have every permission');
  }
  return group.permissionMask;
}

/** Adds all that the permissions need. Refuses none, unknown ones, and administrator-only ones. */
function grantable(asked: number): number {
  if (asked === 0) throw fieldError('permissions', 'required', 'a group needs at least one permission');
  if ((asked & ~maskOf(...permissions)) !== 0) {
    throw fieldError('permissions', 'unknown', 'it contains bits that are not permissions');
  }
  const refused = adminOnlyPermissions.filter((permission) => holds(asked, permission));
  if (refused.length > 0) {
    throw fieldError('permissions', 'adminOnly', `only administrators hold ${refused.join(', ')}`);
  }
  return closure(asked);
}

interface Moved {
  readonly changes: readonly OperationChange[];
  /** The users who moved, with the groups that they left and joined. */
  readonly edited: readonly Edited[];
}

/** Makes `names` the members of the group; members left out become viewers. */
function setMembers(
  tx: Queries,
  options: GroupOptions,
  actor: Actor,
  group: StoredGroup,
  names: readonly string[],
): Moved {
  const desired = names.map((name) => existingUser(tx, name));
  const present = membersOf(listUsers(tx), group.id);
  const joining = desired.filter((user) => user.groupId !== group.id);
  const leaving = present.filter((user) => !desired.some(({ id }) => id === user.id));
  if (joining.length === 0 && leaving.length === 0) return { changes: [], edited: [] };
  const viewers = groupRows.find(tx, groupTypes.viewer);
  if (viewers === undefined) throw new Error('the group of viewers is missing');
  if (leaving.length > 0 && group.id === viewers.id) {
    throw fieldError('users', 'viewerLeft', `${leaving[0]?.name}: give a viewer another group instead`);
  }
  move(tx, options, actor, joining, group);
  move(tx, options, actor, leaving, viewers);
  const members = membersOf(listUsers(tx), group.id).map(({ name }) => name);
  const touched = new Set([
    group.id,
    ...joining.map(({ groupId }) => groupId),
    ...(leaving.length > 0 ? [viewers.id] : []),
  ]);
  return {
    changes: [members.length === 0 ? { word: 'noMembers' } : { word: 'members', value: members.join(', ') }],
    edited: [...[...joining, ...leaving].map(({ id }) => userEdit(id)), ...[...touched].map(groupEdit)],
  };
}

function move(tx: Queries, options: GroupOptions, actor: Actor, users: readonly StoredUser[], to: StoredGroup): void {
  if (users.length === 0) return;
  refuseHandOut(actor, to.permissionMask);
  for (const user of users) {
    refuseLockOut(user, to, actor);
    if (losesRights(user.permission, to.permissionMask)) options.endSessions(tx, user.id, 'rightsChanged');
  }
  moveUsers(
    tx,
    users.map(({ id }) => id),
    to.id,
  );
}

function membersOf(people: readonly StoredUser[], groupId: number): StoredUser[] {
  return people.filter((user) => user.groupId === groupId);
}

function grantedOf(before: number, after: number): OperationChange[] {
  const names = (mask: number): Permission[] => permissions.filter((permission) => holds(mask, permission));
  const granted = names(after & ~before);
  const revoked = names(before & ~after);
  return [
    ...(granted.length > 0 ? [{ word: 'granted', value: granted.join(', ') } as const] : []),
    ...(revoked.length > 0 ? [{ word: 'revoked', value: revoked.join(', ') } as const] : []),
  ];
}

function showGroup(group: StoredGroup, members: readonly StoredUser[], isDetailed: boolean): UserGroup {
  const { id, name, description, type, permissionMask, revision } = group;
  const users = isDetailed
    ? members.map((user) => ({ id: user.id, name: user.name }))
    : members.map((user) => user.name);
  return {
    ...{ id, name, desc: description, type, revision },
    permission: type === groupTypes.admin ? allPermissions : permissionMask,
    ...(members.length > 0 && { users }),
  };
}

function refusingName<T>(name: string, work: () => T): T {
  return refuseTaken({ 'user_groups.name': () => nameTaken(name) }, work);
}
