/** A change of who may see a device, a group, or by default all devices. */
import type { SecurityChange } from '../../contract/device-fields.ts';
import type { OperationChange } from '../../contract/logs.ts';
import type { Masks, Security } from '../../http/object-access.ts';
import type { Queries } from '../../store/database.ts';
import { everyone, namesOfMasks } from './store.ts';

/** Returns the security after the change. Bits of users and groups that do not exist are dropped. */
export function changedSecurity(tx: Queries, before: Security, change: SecurityChange): Security {
  const { 'is-inherit': inherits } = change;
  return {
    isInherited: inherits === undefined ? before.isInherited : Boolean(inherits),
    ...changedMasks(tx, before, change),
  };
}

export function changedMasks(
  tx: Queries,
  before: Masks,
  change: Pick<SecurityChange, 'group-mask' | 'usr-mask'>,
): Masks {
  const { 'group-mask': groupMask = before.groupMask, 'usr-mask': userMask = before.userMask } = change;
  const { known } = namesOfMasks(tx, { groupMask, userMask });
  const kept = (mask: number, bits: number) => (mask === everyone ? mask : bits);
  return { groupMask: kept(groupMask, known.groupMask), userMask: kept(userMask, known.userMask) };
}

/** For the operation log. */
export function describeSecurity(tx: Queries, security: Masks & { readonly isInherited?: boolean }): OperationChange[] {
  if (security.isInherited === true) return [{ word: 'inheritsVisibility' }];
  if (security.groupMask === everyone || security.userMask === everyone) return [{ word: 'visibleToAll' }];
  const { names } = namesOfMasks(tx, security);
  return [names.length === 0 ? { word: 'visibleToAdmins' } : { word: 'visibleTo', value: names.join(', ') }];
}
