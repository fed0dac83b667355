/** Acts on several devices of a list. */
import { msg, plural, t } from '@lingui/core/macro';
import { IconCheck, IconCpu, IconFolderSymlink, IconStar, IconStarOff, IconTrash, IconX } from '@tabler/icons-react';
import { createElement } from 'react';
import { blockedBy, canEver, deviceActions } from '../../../../daemon/contract/device-actions.ts';
import { regStates } from '../../../../daemon/contract/device-states.ts';
import type { Device } from '../../../../daemon/contract/devices.ts';
import { deviceApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { deferredPart } from '../../lib/lazy-part.tsx';
import { actionLooks } from '../../shared/devices/action-look.ts';
import { canUpgrade } from '../../shared/firmware/upgrade/can-upgrade.ts';
import type { BulkAct } from '../../ui/table/bulk.ts';

const MoveSelectedDialog = deferredPart(() => import('./MoveSelectedDialog.tsx'));

const UpgradeDialog = deferredPart(() => import('../../shared/firmware/upgrade/UpgradeDialog.tsx'));
const BulkActDialog = deferredPart(() => import('./actions/BulkActDialog.tsx'));

const after = () => refresh('devices', 'channels');
const isAccepted = (device: Device) => device['reg-state'] === regStates.accepted;

export const approvalActs: readonly BulkAct<Device>[] = [
  {
    key: 'accept',
    title: msg`Accept`,
    icon: IconCheck,
    appliesTo: (device) => !isAccepted(device),
    ask: () => undefined,
    run: ({ sn }) => call(deviceApi.accept, { body: { sn } }),
    after,
  },
  {
    key: 'reject',
    title: msg`Reject`,
    icon: IconX,
    appliesTo: (device) => device['reg-state'] === regStates.pending,
    ask: () => undefined,
    run: ({ sn }) => call(deviceApi.reject, { body: { sn } }),
    after,
  },
];

const favor = (enable: boolean) => (device: Device) => call(deviceApi.favorite, { body: { sn: device.sn, enable } });

/** `user`: id of the user whose favorites they are. */
export const favoriteActs = (user: number): readonly BulkAct<Device>[] => [
  {
    key: 'favor',
    title: msg`Add to favorites`,
    icon: IconStar,
    appliesTo: (device) => (device['is-favorite'] & user) === 0,
    ask: () => undefined,
    run: favor(true),
    after,
  },
  {
    key: 'unfavor',
    title: msg`Remove from favorites`,
    icon: IconStarOff,
    appliesTo: (device) => (device['is-favorite'] & user) !== 0,
    ask: () => undefined,
    run: favor(false),
    after,
  },
];

/** Those of `device/action`; which are offered depends on what is selected. */
export const controlActs: readonly BulkAct<Device>[] = deviceActions.map((action) => ({
  key: action,
  title: actionLooks[action].verb,
  icon: actionLooks[action].icon,
  inMenu: true,
  isOffered: (device) => canEver(device, action),
  appliesTo: (device) => blockedBy(device, action) === undefined,
  ask: () => undefined,
  dialog: (props) => createElement(BulkActDialog, { ...props, action }),
  // The dialog starts a task for all of them.
  run: () => Promise.resolve(),
}));

export const upgradeActs: readonly BulkAct<Device>[] = [
  {
    key: 'upgrade',
    title: msg`Upgrade firmware`,
    icon: IconCpu,
    inMenu: true,
    isOffered: canUpgrade,
    appliesTo: (device) => device.connection === 'online' && canUpgrade(device),
    ask: () => undefined,
    dialog: ({ items, onClose }) => createElement(UpgradeDialog, { devices: items.filter(canUpgrade), onClose }),
    // The dialog starts a task for all of them.
    run: () => Promise.resolve(),
  },
];

export const moveActs: readonly BulkAct<Device>[] = [
  {
    key: 'move',
    title: msg`Move to a group`,
    icon: IconFolderSymlink,
    appliesTo: isAccepted,
    ask: () => undefined,
    dialog: MoveSelectedDialog,
    // The dialog says where to.
    run: () => Promise.resolve(),
    after,
  },
];

export const deleteActs: readonly BulkAct<Device>[] = [
  {
    key: 'delete',
    title: msg`Delete`,
    icon: IconTrash,
    appliesTo: () => true,
    ask: (devices) => ({
      title: plural(devices.length, { one: 'Delete # device?', other: 'Delete # devices?' }),
      consequence: deletionText(devices),
      verb: plural(devices.length, { one: 'Delete # device', other: 'Delete # devices' }),
    }),
    run: ({ sn }) => call(deviceApi.del, { body: { sn } }),
    after,
  },
];

/** What is lost when these devices are deleted. */
export function deletionText(devices: readonly Device[]): string {
  const feeding = devices.flatMap((device) => [...(device['owner-i-d'] ?? []), ...(device['owner-o-d'] ?? [])]).length;
  const lost = t`The hub no longer manages them; their login and settings on the hub are permanently deleted.`;
  if (feeding === 0) return lost;
  const channels = plural(feeding, { one: '# channel uses them.', other: '# channels use them.' });
  return `${channels} ${lost}`;
}
