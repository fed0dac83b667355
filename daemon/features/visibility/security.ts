/** Visibility of devices and device groups: masks of user groups and users, inherited down the tree of groups. */
import { groupTypes } from '../../contract/permission.ts';
import type { Masks, Security } from '../../http/object-access.ts';

/** All bits, including those of future users and groups. */
export const everyone = 0xffffffff;

/** The user or program that makes the request. Ids are single bits. */
export interface Viewer {
  readonly id: number;
  readonly groupId: number;
  readonly type: number;
}

export interface SecuredGroup {
  readonly id: number;
  /** 0: top level. */
  readonly parentId: number;
  readonly security: Security;
}

export const usualSecurity: Security = { isInherited: true, groupMask: everyone, userMask: everyone };

/** Administrators see everything, whatever the masks: an object cannot be hidden from all users. */
export function sees(viewer: Viewer, { groupMask, userMask }: Masks): boolean {
  return viewer.type === groupTypes.admin || (groupMask & viewer.groupId) !== 0 || (userMask & viewer.id) !== 0;
}

/**
 * Returns the masks that apply to an object with this security in the group `groupId` (0: none). If a group is missing,
 * or the parents form a cycle, the masks of the hub apply.
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

/** Returns every group that the viewer sees, for a whole tree at once. */
export function visibleGroups(viewer: Viewer, groups: ReadonlyMap<number, SecuredGroup>, ofHub: Masks): Set<number> {
  const seen = new Set<number>();
  for (const { id, parentId, security } of groups.values()) {
    if (sees(viewer, effective(security, parentId, groups, ofHub))) seen.add(id);
  }
  return seen;
}

/** The bits of a deleted user or group are reassigned to a new one, which must not see what the old one saw. */
export function without<S extends Masks>(
  security: S,
  gone: { readonly userId?: number; readonly groupId?: number },
): S {
  const { userMask, groupMask } = security;
  // A mask of everyone stays unchanged.
  const clear = (mask: number, bit = 0) => (mask === everyone ? mask : (mask & ~bit) >>> 0);
  return { ...security, userMask: clear(userMask, gone.userId), groupMask: clear(groupMask, gone.groupId) };
}
