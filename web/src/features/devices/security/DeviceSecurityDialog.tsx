import { useLingui } from '@lingui/react/macro';
import type { Device } from '../../../../../daemon/contract/devices.ts';
import { useDeviceGroups } from '../../../shared/devices/groups-query.ts';
import { setDeviceSecurity } from '../device-calls.ts';
import { SecurityDialog } from './SecurityDialog.tsx';
import { settingAbove } from './security-words.ts';

interface DeviceSecurityDialogProps {
  readonly device: Device;
  readonly onClose: () => void;
}

export default function DeviceSecurityDialog({ device, onClose }: DeviceSecurityDialogProps) {
  const { t } = useLingui();
  const { sn, name } = device;
  const groups = useDeviceGroups();
  const group = groups.find(({ id }) => id !== 0 && id === device['catalog-id']);
  const text = group === undefined ? t`As set for all devices` : t`As its group “${group.name}”`;
  return (
    <SecurityDialog
      title={t`Who may see “${name}”?`}
      security={device}
      inherits={{ text, from: settingAbove(groups, device['catalog-id']) }}
      save={(security) => setDeviceSecurity({ sn, security })}
      onClose={onClose}
    />
  );
}
