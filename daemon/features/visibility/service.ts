/** Decides which objects a user may see and act on: one service for routes, event topics and tasks. */
import { groupTypes } from '../../contract/permission.ts';
import { isGranted } from '../../http/access.ts';
import type { Guarded, Masks, ObjectAccess } from '../../http/object-access.ts';
import type { Session } from '../../http/route.ts';
import { effective, everyone, type SecuredGroup, sees } from './security.ts';

/** What the noun that has the groups of objects provides. */
interface GroupSource {
  readonly groups: () => ReadonlyMap<number, SecuredGroup>;
  /** Masks that apply where nothing else does. */
  readonly ofHub: () => Masks;
}

const noGroups: GroupSource = {
  groups: () => new Map(),
  ofHub: () => ({ groupMask: everyone, userMask: everyone }),
};

export type ObjectAccessService = ReturnType<typeof createObjectAccess>;

export function createObjectAccess() {
  let source = noGroups;
  const canSee = ({ user }: Session, object: Guarded): boolean => {
    if ('ownerId' in object) return user.type === groupTypes.admin || user.id === object.ownerId;
    return sees(user, effective(object.security, object.groupId, source.groups(), source.ofHub()));
  };
  return {
    canSee,
    canAct: (session, object, permission) => isGranted(session, permission) && canSee(session, object),
    /** Sets where groups of objects are found; without it, there are none. */
    groupsFrom(next: GroupSource): void {
      source = next;
    },
  } satisfies ObjectAccess & { groupsFrom(next: GroupSource): void };
}
