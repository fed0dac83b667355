import { useLingui } from '@lingui/react/macro';
import { IconCpu, IconDotsVertical, IconDownload, IconInfoCircle, IconTrash } from '@tabler/icons-react';
import { firmwareDownloadPath } from '../../../../daemon/contract/calls.ts';
import type { Firmware } from '../../../../daemon/contract/firmware.ts';
import { addressOf } from '../../api/client.ts';
import { useMay } from '../../api/session.ts';
import { deleteFirmware } from '../../shared/firmware/firmware-calls.ts';
import { confirm } from '../../ui/overlay/confirm.ts';
import { DropMenu } from '../../ui/overlay/DropMenu.tsx';
import type { DialogAddress } from '../../ui/overlay/dialog-address.ts';

interface FirmwareRowActionsProps {
  readonly one: Firmware;
  readonly open: DialogAddress['open'];
}

export function FirmwareRowActions({ one, open }: FirmwareRowActionsProps) {
  const { t } = useLingui();
  const mayManage = useMay('firmwareManage');
  const mayControl = useMay('deviceControl');
  const { id, 'file-path': name, 'used-by': users } = one;
  const remove = () =>
    confirm({
      title: t`Delete “${name}”?`,
      consequence: t`The file is permanently deleted from the library. Devices keep the firmware that they run.`,
      verb: t`Delete file`,
      isDangerous: true,
      run: () => deleteFirmware({ id }),
      done: t`“${name}” was deleted.`,
    });
  const by = users.join(', ');
  const missing = one['is-missing'] ? t`The file is missing. Upload it again.` : undefined;
  return (
    <DropMenu
      label={t`More actions for ${name}`}
      trigger={<IconDotsVertical size={16} stroke={1.7} aria-hidden />}
      items={() => [
        ...(mayControl
          ? [
              {
                key: 'upgrade',
                text: t`Upgrade devices`,
                icon: IconCpu,
                disabledReason: missing,
                onSelect: () => open('upgrade', id),
              },
            ]
          : []),
        { key: 'details', text: t`Details`, icon: IconInfoCircle, onSelect: () => open('details', id) },
        {
          key: 'download',
          text: t`Download`,
          icon: IconDownload,
          disabledReason: missing,
          onSelect: () => download(id),
        },
        ...(mayManage
          ? [
              {
                key: 'delete',
                text: t`Delete`,
                icon: IconTrash,
                isDangerous: true,
                disabledReason: by === '' ? undefined : t`In use: ${by}`,
                onSelect: remove,
              },
            ]
          : []),
      ]}
    />
  );
}

function download(id: number): void {
  const link = document.createElement('a');
  link.href = addressOf(firmwareDownloadPath, { id });
  link.download = '';
  link.click();
}
