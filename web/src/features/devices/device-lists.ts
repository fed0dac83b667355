/** The lists of devices: which address shows which devices, and under which title. */
import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { regStates } from '../../../../daemon/contract/device-states.ts';
import type { Device } from '../../../../daemon/contract/devices.ts';
import { directions } from '../../../../daemon/contract/streams.ts';
import { paths } from '../../lib/paths.ts';
import { needsAttention } from '../../shared/devices/device-look.ts';

/** What a device can do in a channel. Those that can do both count as encoders. */
export const deviceKinds = ['encoders', 'decoders', 'others'] as const;
export type DeviceKind = (typeof deviceKinds)[number];

export function kindOf({ dir }: Pick<Device, 'dir'>): DeviceKind {
  if ((dir & directions.input) !== 0) return 'encoders';
  return (dir & directions.output) !== 0 ? 'decoders' : 'others';
}

export interface DeviceListKind {
  readonly key: 'pending' | 'rejected' | 'all' | 'warning' | 'favorite' | 'group';
  readonly title: MessageDescriptor;
  readonly has: (device: Device, about: { readonly user: number }) => boolean;
}

const isAccepted = (device: Device) => device['reg-state'] === regStates.accepted;

const all: DeviceListKind = { key: 'all', title: msg`All devices`, has: isAccepted };

const kinds: Readonly<Record<string, DeviceListKind>> = {
  [paths.devices]: all,
  [paths.pendingDevices]: {
    key: 'pending',
    title: msg`Pending approval`,
    has: (device) => device['reg-state'] === regStates.pending,
  },
  [paths.rejectedDevices]: {
    key: 'rejected',
    title: msg`Rejected devices`,
    has: (device) => device['reg-state'] === regStates.rejected,
  },
  [paths.warningDevices]: { key: 'warning', title: msg`Warnings`, has: needsAttention },
  [paths.favoriteDevices]: {
    key: 'favorite',
    title: msg`Favorites`,
    // Ids of users are single bits; the highest makes the result negative.
    has: (device, { user }) => isAccepted(device) && (device['is-favorite'] & user) !== 0,
  },
};

/** Returns the id of the group whose devices the address shows; undefined for other lists. */
export function groupOfPath(pathname: string): number | undefined {
  const id = /^\/devices\/group-(\d{1,9})$/.exec(pathname)?.[1];
  return id === undefined ? undefined : Number(id);
}

/** Returns the list at this address, and undefined if there is none. */
export function listOfPath(pathname: string): DeviceListKind | undefined {
  const group = groupOfPath(pathname);
  if (group === undefined) return kinds[pathname];
  return {
    key: 'group',
    title: msg`Device group`,
    has: (device) => isAccepted(device) && device['catalog-id'] === group,
  };
}
