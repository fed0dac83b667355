/** Who reaches a device, and from where that is inherited. Pure; the hub decides by the same rules. */
import type { DeviceMasks } from '../../../../../daemon/contract/device-fields.ts';
import type { DeviceGroup } from '../../../../../daemon/contract/device-groups.ts';
import type { Device } from '../../../../../daemon/contract/devices.ts';
import { groupTypes, holds } from '../../../../../daemon/contract/permission.ts';
import type { User } from '../../../../../daemon/contract/users.ts';
import type { People } from '../../../shared/users/user-calls.ts';

type Secured = Pick<Device, 'is-inherit' | 'group-mask' | 'usr-mask' | 'catalog-id'>;

export interface Origin {
  readonly masks: DeviceMasks;
  /** Where it is set: on the device, on a group above it, or for all devices. */
  readonly from: 'device' | 'hub' | DeviceGroup;
}

/** Returns the masks that apply to the device. */
export function originOf(device: Secured, groups: readonly DeviceGroup[], ofHub: DeviceMasks): Origin {
  if (device['is-inherit'] === 0) return { masks: device, from: 'device' };
  const passed = new Set<number>([0]);
  let id = device['catalog-id'];
  while (!passed.has(id)) {
    const above = groups.find((group) => group.id === id);
    if (above === undefined) break;
    if (above['is-inherit'] === 0) return { masks: above, from: above };
    passed.add(id);
    id = above['parent-id'];
  }
  return { masks: ofHub, from: 'hub' };
}

/** `manages`: accepts, changes and deletes devices, too. */
export type Level = 'sees' | 'controls' | 'manages';

export interface Reach {
  readonly user: User;
  readonly level: Level;
  /** Why: as an administrator, as a member of the group, or as this user. */
  readonly by: 'admin' | 'group' | 'user';
}

const everyone = 0xffffffff;
const has = (mask: number, id: number) => (mask & id) !== 0;

export const isForEveryone = (masks: DeviceMasks): boolean =>
  masks['group-mask'] === everyone || masks['usr-mask'] === everyone;

/** Returns the users who see the device, those who may do most first. */
export function reachOf({ masks }: Origin, { users }: People): Reach[] {
  return users
    .flatMap((user): Reach[] => {
      const level = levelOf(user.permission);
      const by = reasonOf(user, masks);
      return level === undefined || by === undefined ? [] : [{ user, level, by }];
    })
    .toSorted((a, b) => rank[a.level] - rank[b.level]);
}

const rank: Record<Level, number> = { manages: 0, controls: 1, sees: 2 };

function reasonOf(user: User, masks: DeviceMasks): Reach['by'] | undefined {
  if (user['group-id'] === groupTypes.admin) return 'admin';
  if (has(masks['group-mask'], user['group-id'])) return 'group';
  return has(masks['usr-mask'], user.id) ? 'user' : undefined;
}

function levelOf(permission: number): Level | undefined {
  if (holds(permission, 'deviceAdvanced')) return 'manages';
  if (holds(permission, 'deviceControl')) return 'controls';
  return holds(permission, 'deviceView') ? 'sees' : undefined;
}
