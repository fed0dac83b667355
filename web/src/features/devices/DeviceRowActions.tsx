import { useLingui } from '@lingui/react/macro';
import { ActionIcon } from '@mantine/core';
import {
  IconAdjustmentsHorizontal,
  IconCheck,
  IconCpu,
  IconDotsVertical,
  IconExternalLink,
  IconFolderSymlink,
  IconPencil,
  IconPlugConnected,
  IconShieldLock,
  IconStar,
  IconStarOff,
  IconTrash,
  IconX,
} from '@tabler/icons-react';
import { memo } from 'react';
import { regStates } from '../../../../daemon/contract/device-states.ts';
import type { Device } from '../../../../daemon/contract/devices.ts';
import { directions } from '../../../../daemon/contract/streams.ts';
import { useMay, useSession } from '../../api/session.ts';
import { faultText } from '../../i18n/result-text.ts';
import { consoleBlocked, consoleText, openConsole } from '../../shared/devices/device-console.ts';
import { unconnectable } from '../../shared/devices/unconnectable.ts';
import { canUpgrade } from '../../shared/firmware/upgrade/can-upgrade.ts';
import { showToast } from '../../ui/feedback/toasts.ts';
import { confirm } from '../../ui/overlay/confirm.ts';
import { DropMenu } from '../../ui/overlay/DropMenu.tsx';
import type { DialogAddress } from '../../ui/overlay/dialog-address.ts';
import { useActionItems } from './actions/action-items.ts';
import styles from './DeviceListPage.module.css';
import { deletionText } from './device-bulk.ts';
import { acceptDevices, deleteDevices, favorDevices, rejectDevices } from './device-calls.ts';
import { type DeviceProps, isAccepted } from './device-cells.tsx';

interface DeviceRowActionsProps extends DeviceProps {
  readonly open: DialogAddress['open'];
}

const facts = (device: Device) => [
  device.sn,
  device.name,
  device['reg-state'],
  device['is-favorite'],
  device['connect-dir'],
  device.connection,
  device['pause-until'],
  device.problem,
  device.status.recording,
  device.status.living,
  device.status.tasks?.join(),
];

/** Renders only when a button changes. */
export const DeviceRowActions = memo(
  DeviceButtons,
  (before, next) =>
    before.open === next.open && facts(before.device).every((fact, at) => fact === facts(next.device)[at]),
);

function DeviceButtons({ device, open }: DeviceRowActionsProps) {
  const { t } = useLingui();
  const mayApprove = useMay('deviceAdvanced');
  const items = useDeviceItems(device, open);
  const act = useDeviceAct(device);
  return (
    <span className={styles.rowActions}>
      {mayApprove && !isAccepted(device) && (
        <ActionIcon
          size={30}
          aria-label={t`Accept ${device.name}`}
          title={t`Accept ${device.name}`}
          onClick={() => act(() => acceptDevices({ sn: device.sn }), t`“${device.name}” was accepted.`)}
        >
          <IconCheck size={16} aria-hidden />
        </ActionIcon>
      )}
      {items().length > 0 && (
        <DropMenu
          label={t`More actions for ${device.name}`}
          trigger={<IconDotsVertical size={16} stroke={1.7} aria-hidden />}
          items={items}
        />
      )}
    </span>
  );
}

/** Runs an act at once; a toast reports its fault, or what is done. */
export function useDeviceAct({ sn, name }: Device) {
  const { i18n } = useLingui();
  return (act: () => Promise<unknown>, done?: string) =>
    void act()
      .then(() => done !== undefined && showToast('success', done, `device-${sn}`))
      .catch((error: unknown) => showToast('error', `${name}: ${faultText(i18n, error)}`, `device-${sn}`));
}

/** The acts that the user may do on a device now. */
export function useDeviceItems(device: Device, open: DialogAddress['open'], onDeleted?: () => void) {
  const { t, i18n } = useLingui();
  const act = useDeviceAct(device);
  const { id: user } = useSession();
  const mayEdit = useMay('deviceAdvanced');
  const mayControl = [useMay('deviceControl'), useMay('channelEdit')].every(Boolean);
  const mayConfigure = useMay('deviceControl');
  const mayMove = useMay('groupControl');
  const maySecure = useMay('deviceSecurity');
  const { id, sn, name } = device;
  // The page of the device, which is left then, has buttons of its own.
  const actionItems = useActionItems(device, open, onDeleted !== undefined);
  const isFavorite = (device['is-favorite'] & user) !== 0;
  const accepted = isAccepted(device);
  const canConnect = accepted && device.dir !== directions.none;
  const consoleReason = consoleBlocked(device);
  const cannotConnect = unconnectable(device, device.dir === directions.output ? 'output' : 'input');
  const remove = () =>
    confirm({
      title: t`Delete device “${name}”?`,
      consequence: deletionText([device]),
      verb: t`Delete device`,
      isDangerous: true,
      async run() {
        await deleteDevices({ sn });
        onDeleted?.();
      },
      done: t`“${name}” was deleted.`,
    });
  return () =>
    [
      accepted && {
        key: 'favorite',
        text: isFavorite ? t`Remove from favorites` : t`Add to favorites`,
        icon: isFavorite ? IconStarOff : IconStar,
        onSelect: () => act(() => favorDevices({ sn, enable: !isFavorite })),
      },
      ...(accepted ? actionItems() : []),
      accepted &&
        mayConfigure &&
        onDeleted === undefined && {
          key: 'console',
          text: i18n._(consoleText),
          icon: IconExternalLink,
          disabledReason: consoleReason && i18n._(consoleReason),
          onSelect: () => openConsole(device),
        },
      mayConfigure &&
        canUpgrade(device) && {
          key: 'upgrade',
          text: t`Upgrade firmware`,
          icon: IconCpu,
          disabledReason: device.connection === 'online' ? undefined : t`The device is offline`,
          onSelect: () => open('upgrade', id),
        },
      canConnect &&
        mayControl && {
          key: 'connect',
          text: t`Connect to a channel`,
          icon: IconPlugConnected,
          disabledReason: cannotConnect && i18n._(cannotConnect),
          onSelect: () => open('connect', id),
        },
      canConnect &&
        mayConfigure && {
          key: 'connection',
          text: t`Connection`,
          icon: IconAdjustmentsHorizontal,
          onSelect: () => open('connection', id),
        },
      mayEdit && accepted && { key: 'edit', text: t`Edit`, icon: IconPencil, onSelect: () => open('edit', id) },
      mayMove &&
        accepted && {
          key: 'move',
          text: t`Move to a group`,
          icon: IconFolderSymlink,
          onSelect: () => open('move', id),
        },
      maySecure && { key: 'security', text: t`Visibility`, icon: IconShieldLock, onSelect: () => open('security', id) },
      mayEdit &&
        device['reg-state'] === regStates.pending && {
          key: 'reject',
          text: t`Reject`,
          icon: IconX,
          onSelect: () => act(() => rejectDevices({ sn }), t`“${name}” was rejected.`),
        },
      mayEdit && { key: 'delete', text: t`Delete`, icon: IconTrash, isDangerous: true, onSelect: remove },
    ].filter((item) => item !== false);
}
