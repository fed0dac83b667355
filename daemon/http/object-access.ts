/** Access to single objects, in addition to the permission that a call needs; features/visibility implements it. */
import type { Permission } from '../contract/permission.ts';
import { notExist } from '../lib/refusals.ts';
import type { Session } from './route.ts';

/** Bits of user groups and of users. */
export interface Masks {
  readonly groupMask: number;
  readonly userMask: number;
}

export interface Security extends Masks {
  /** Whether the masks of the parent apply, or at the top those of the hub; its own are kept for later use. */
  readonly isInherited: boolean;
}

/** What decides who may see an object: its owner, or its security and the group of objects that it is in (0: none). */
export type Guarded = { readonly ownerId: number } | { readonly security: Security; readonly groupId: number };

export interface ObjectAccess {
  /** Administrators see everything. */
  canSee(session: Session, object: Guarded): boolean;
  /** Whether the caller sees the object and has the permission. */
  canAct(session: Session, object: Guarded, permission: Permission): boolean;
}

/** The same for the caller of a route. */
export interface CallerAccess {
  canSee(object: Guarded): boolean;
  canAct(object: Guarded, permission: Permission): boolean;
  /** Returns the object. Throws `notExist` if there is none, or the caller may not see it. */
  visible<T extends Guarded>(object: T | undefined, what: string, id: number): T;
}

export function accessOf(access: ObjectAccess, session: Session | null): CallerAccess {
  const canSee = (object: Guarded) => session !== null && access.canSee(session, object);
  return {
    canSee,
    canAct: (object, permission) => session !== null && access.canAct(session, object, permission),
    visible(object, what, id) {
      if (object === undefined || !canSee(object)) throw notExist(what, id);
      return object;
    },
  };
}
