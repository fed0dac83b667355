import { useLingui } from '@lingui/react/macro';
import { IconDotsVertical, IconFolderPlus, IconPencil, IconShieldLock, IconTrash } from '@tabler/icons-react';
import { useNavigate } from 'react-router-dom';
import type { DeviceGroup } from '../../../../../daemon/contract/device-groups.ts';
import { limits } from '../../../../../daemon/contract/limits.ts';
import { useMay } from '../../../api/session.ts';
import { deferredPart } from '../../../lib/lazy-part.tsx';
import { deviceGroupPath, paths } from '../../../lib/paths.ts';
import { flatTree } from '../../../shared/devices/group-tree.ts';
import { deleteGroup, useGroupTree } from '../../../shared/devices/groups-query.ts';
import { confirm } from '../../../ui/overlay/confirm.ts';
import { DropMenu } from '../../../ui/overlay/DropMenu.tsx';
import type { DialogAddress } from '../../../ui/overlay/dialog-address.ts';

const GroupDialog = deferredPart(() => import('./GroupDialog.tsx'));
const GroupSecurityDialog = deferredPart(() => import('../security/GroupSecurityDialog.tsx'));

interface GroupButtonsProps {
  readonly group: DeviceGroup;
  readonly dialog: DialogAddress;
}

/** The acts on a group of devices, in the head of its list. */
export function GroupButtons({ group, dialog: { name: dialogName, open, close } }: GroupButtonsProps) {
  const { t } = useLingui();
  const navigate = useNavigate();
  const mayControl = useMay('groupControl');
  const maySecure = useMay('deviceSecurity');
  const depth = flatTree(useGroupTree()).find((node) => node.group.id === group.id)?.depth ?? 1;
  const isDeepest = depth >= limits.deviceGroups.depth;
  const { id, name } = group;
  const parent = group['parent-id'];
  const remove = () =>
    confirm({
      title: t`Delete group “${name}”?`,
      consequence: t`Devices are not deleted.`,
      verb: t`Delete group`,
      isDangerous: true,
      forced: {
        consequence: () => t`The devices and groups in it move to the group above.`,
        verb: t`Delete and move them`,
      },
      async run(force) {
        await deleteGroup({ id, force });
        void navigate(parent === 0 ? paths.devices : deviceGroupPath(parent), { replace: true });
      },
      done: t`“${name}” was deleted.`,
    });
  if (!mayControl && !maySecure) return null;
  return (
    <>
      <DropMenu
        label={t`Actions for group ${name}`}
        trigger={<IconDotsVertical size={17} aria-hidden />}
        items={() =>
          [
            mayControl && {
              key: 'add',
              text: t`Add a group in it`,
              icon: IconFolderPlus,
              disabledReason: isDeepest ? t`Groups have ${limits.deviceGroups.depth} levels at most.` : undefined,
              onSelect: () => open('add-group'),
            },
            mayControl && { key: 'rename', text: t`Rename`, icon: IconPencil, onSelect: () => open('rename-group') },
            maySecure && {
              key: 'security',
              text: t`Visibility`,
              icon: IconShieldLock,
              onSelect: () => open('group-security'),
            },
            mayControl && { key: 'delete', text: t`Delete`, icon: IconTrash, isDangerous: true, onSelect: remove },
          ].filter((item) => item !== false)
        }
      />
      {mayControl && dialogName === 'add-group' && <GroupDialog parent={group} group={undefined} onClose={close} />}
      {mayControl && dialogName === 'rename-group' && <GroupDialog parent={undefined} group={group} onClose={close} />}
      {maySecure && dialogName === 'group-security' && <GroupSecurityDialog group={group} onClose={close} />}
    </>
  );
}
