/** Who may see a device or a group of devices, as the form has it. */
import { groupTypes } from '../../../../../daemon/contract/permission.ts';
import type { People } from '../../../shared/users/user-calls.ts';

export interface SecurityValues {
  /** `inherit`: as the group above, at the top as the hub. `all`: also users and groups that do not exist yet. */
  readonly mode: 'inherit' | 'all' | 'chosen';
  /** Ids, as text for the check boxes. */
  readonly groups: readonly string[];
  readonly users: readonly string[];
}

interface Masked {
  /** Absent for the hub itself, which inherits from nothing. */
  readonly 'is-inherit'?: number;
  readonly 'group-mask': number;
  readonly 'usr-mask': number;
}

const everyone = 0xffffffff;

const has = (mask: number, id: number) => (mask & id) !== 0;

/** Administrators see everything, so they are not offered. */
export function securityChoices({ users, groups }: People) {
  return {
    groups: groups.filter(({ type }) => type !== groupTypes.admin),
    users: users.filter((user) => user['group-id'] !== groupTypes.admin),
  };
}

export function securityValues(security: Masked, people: People): SecurityValues {
  const { groups, users } = securityChoices(people);
  const masks = [security['group-mask'], security['usr-mask']] as const;
  const isForAll = masks.some((mask) => mask === everyone);
  return {
    mode: (security['is-inherit'] ?? 0) !== 0 ? 'inherit' : isForAll ? 'all' : 'chosen',
    groups: isForAll ? [] : groups.filter(({ id }) => has(masks[0], id)).map(({ id }) => String(id)),
    users: isForAll ? [] : users.filter(({ id }) => has(masks[1], id)).map(({ id }) => String(id)),
  };
}

/** The change that a call takes. The bits of users and groups that are not offered are dropped: they see everything. */
export function securityChange({ mode, groups, users }: SecurityValues) {
  if (mode === 'inherit') return { 'is-inherit': true };
  const masks =
    mode === 'all'
      ? { 'group-mask': everyone, 'usr-mask': everyone }
      : { 'group-mask': maskOf(groups), 'usr-mask': maskOf(users) };
  return { 'is-inherit': false, ...masks };
}

const maskOf = (ids: readonly string[]) => ids.reduce((mask, id) => (mask | Number(id)) >>> 0, 0);
