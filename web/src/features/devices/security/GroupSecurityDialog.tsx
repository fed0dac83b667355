import { useLingui } from '@lingui/react/macro';
import type { DeviceGroup } from '../../../../../daemon/contract/device-groups.ts';
import { setGroup, useDeviceGroups } from '../../../shared/devices/groups-query.ts';
import { SecurityDialog } from './SecurityDialog.tsx';
import { settingAbove } from './security-words.ts';

interface GroupSecurityDialogProps {
  readonly group: DeviceGroup;
  readonly onClose: () => void;
}

export default function GroupSecurityDialog({ group, onClose }: GroupSecurityDialogProps) {
  const { t } = useLingui();
  const { id, name, revision } = group;
  const groups = useDeviceGroups();
  const parent = groups.find((other) => other.id !== 0 && other.id === group['parent-id']);
  const text = parent === undefined ? t`As set for all devices` : t`As the group “${parent.name}”`;
  return (
    <SecurityDialog
      title={t`Who may see the group “${name}”?`}
      security={group}
      inherits={{ text, from: settingAbove(groups, group['parent-id']) }}
      save={(security) => setGroup({ id, security, revision })}
      onClose={onClose}
    />
  );
}
