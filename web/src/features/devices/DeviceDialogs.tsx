import type { Device } from '../../../../daemon/contract/devices.ts';
import { useMay } from '../../api/session.ts';
import { deferredPart } from '../../lib/lazy-part.tsx';
import type { DialogAddress } from '../../ui/overlay/dialog-address.ts';

const ConnectDialog = deferredPart(() => import('./ConnectDialog.tsx'));
const ConnectionDialog = deferredPart(() => import('./connection/ConnectionDialog.tsx'));
const EditDeviceDialog = deferredPart(() => import('./EditDeviceDialog.tsx'));
const QuestionDialog = deferredPart(() => import('./actions/QuestionDialog.tsx'));
const RenameDialog = deferredPart(() => import('./actions/RenameDialog.tsx'));
const UpgradeDialog = deferredPart(() => import('../../shared/firmware/upgrade/UpgradeDialog.tsx'));
const MoveDialog = deferredPart(() => import('./MoveDialog.tsx'));
const DeviceSecurityDialog = deferredPart(() => import('./security/DeviceSecurityDialog.tsx'));

interface DeviceDialogsProps {
  /** The device that the open dialog is about. */
  readonly device: Device | undefined;
  readonly dialog: DialogAddress;
}

/** The dialogs of one device, which its list and its page have in common. */
export function DeviceDialogs({ device, dialog: { name, close } }: DeviceDialogsProps) {
  const may = {
    connect: [useMay('deviceControl'), useMay('channelEdit')].every(Boolean),
    connection: useMay('deviceControl'),
    control: useMay('deviceControl'),
    edit: useMay('deviceAdvanced'),
    move: useMay('groupControl'),
    security: useMay('deviceSecurity'),
  };
  if (device === undefined) return null;
  const about = { key: device.sn, device, onClose: close };
  if (name === 'connect' && may.connect) return <ConnectDialog {...about} />;
  if (name === 'connection' && may.connection) return <ConnectionDialog {...about} />;
  if (name === 'edit' && may.edit) return <EditDeviceDialog {...about} />;
  if (name === 'move' && may.move) return <MoveDialog {...about} />;
  if (name === 'security' && may.security) return <DeviceSecurityDialog {...about} />;
  if (name === 'upgrade' && may.control) return <UpgradeDialog key={device.sn} devices={[device]} onClose={close} />;
  if (name === 'rename' && may.control) return <RenameDialog {...about} />;
  if (isQuestion(name) && may.control) return <QuestionDialog {...about} action={name} />;
  return null;
}

/** Actions with a question before them. */
const questions = ['reboot', 'live-stop', 'quick-stop'] as const;

function isQuestion(name: string | undefined): name is (typeof questions)[number] {
  return (questions as readonly (string | undefined)[]).includes(name);
}
