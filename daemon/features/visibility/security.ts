/** Who sees which device and device group: masks of user groups and users, inherited down the tree of groups. */
import { groupTypes } from '../../contract/permission.ts';

/** Everybody: all bits, also of users and groups that are still to come. */
export const everyone = 0xffffffff;

export interface Masks {
  readonly groupMask: number;
  readonly userMask: number;
}

export interface Security extends Masks {
  /** The masks of the parent count, or at the top those of the hub; its own are kept for when they count again. */
  readonly isInherited: boolean;
}

/** Of a person or a program that asks. Ids are single bits. */
export interface Viewer {
  readonly id: number;
  readonly groupId: number;
  readonly type: number;
}

export interface SecuredGroup {
  readonly id: number;
  /** 0: at the top. */
  readonly parentId: number;
  readonly security: Security;
}

export const usualSecurity: Security = { isInherited: true, groupMask: everyone, userMask: everyone };

/** Administrators see everything, whatever the masks say: nothing can be hidden from all. */
export function sees(viewer: Viewer, { groupMask, userMask }: Masks): boolean {
  return viewer.type === groupTypes.admin || (groupMask & viewer.groupId) !== 0 || (userMask & viewer.id) !== 0;
}

/**
 * The masks that count for something with this security in the group `groupId` (0: in none). A group that is missing,
 * or a ring of parents, ends at the masks of the hub.
 */
export function effective(
  security: Security,
  groupId: number,
  groups: ReadonlyMap<number, SecuredGroup>,
  ofHub: Masks,
): Masks {
  let next = security;
  let parent = groups.get(groupId);
  const passed = new Set<number>();
  while (next.isInherited) {
    if (parent === undefined || passed.has(parent.id)) return ofHub;
    passed.add(parent.id);
    next = parent.security;
    parent = groups.get(parent.parentId);
  }
  return next;
}

/** Every group that somebody sees, for a whole tree at once. */
export function visibleGroups(viewer: Viewer, groups: ReadonlyMap<number, SecuredGroup>, ofHub: Masks): Set<number> {
  const seen = new Set<number>();
  for (const { id, parentId, security } of groups.values()) {
    if (sees(viewer, effective(security, parentId, groups, ofHub))) seen.add(id);
  }
  return seen;
}

/** The bits of a deleted user or group are given to somebody new, who must not see what the old one saw. */
export function without<S extends Masks>(
  security: S,
  gone: { readonly userId?: number; readonly groupId?: number },
): S {
  const { userMask, groupMask } = security;
  // Everybody stays everybody.
  const clear = (mask: number, bit = 0) => (mask === everyone ? mask : (mask & ~bit) >>> 0);
  return { ...security, userMask: clear(userMask, gone.userId), groupMask: clear(groupMask, gone.groupId) };
}
