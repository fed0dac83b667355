import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Group, Stack } from '@mantine/core';
import { familyOf } from '../../../../daemon/contract/device-catalog.ts';
import type { Firmware } from '../../../../daemon/contract/firmware.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import { amountText } from '../../lib/format.ts';
import { useFamilyText } from '../../shared/firmware/family-text.ts';
import { CopyLine } from '../../ui/data/CopyLine.tsx';
import { Moment } from '../../ui/data/Moment.tsx';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { type Fact, Facts } from '../../ui/layout/Facts.tsx';
import { Dialog } from '../../ui/overlay/Dialog.tsx';

interface FirmwareFactsDialogProps {
  readonly one: Firmware;
  readonly onClose: () => void;
}

/** All that the hub knows of a file. */
export default function FirmwareFactsDialog({ one, onClose }: FirmwareFactsDialogProps) {
  const { t } = useLingui();
  const format = useFormat();
  const familyText = useFamilyText();
  const users = one['used-by'];
  const facts: Fact[] = [
    { name: t`Model`, value: one['product-name'] || t`No device of this product` },
    { name: t`Family`, value: familyText(familyOf(one.module)) },
    { name: t`Product ID`, value: one['product-id'] },
    { name: t`Hardware version`, value: one['hardware-ver'] },
    { name: t`Version`, value: one.version },
    { name: t`Size`, value: amountText(format.bytes(one['file-size'])) },
    { name: t`Uploaded`, value: <Moment time={one['upload-date'] * 1000} /> },
    { name: t`Uploaded by`, value: one['uploaded-by'] },
    ...(one['is-pre-release'] ? [{ name: t`Declaration accepted by`, value: one['accepted-by'] }] : []),
    { name: t`File name`, value: <span translate="no">{one.name}</span>, isWide: true },
    ...(users.length > 0 ? [{ name: t`In use`, value: users.join(format.comma), isWide: true }] : []),
  ];
  return (
    <Dialog title={one['file-path']} onClose={onClose} size={560}>
      <Stack gap="sm">
        {one['is-missing'] && (
          <Banner tone="fault" title={<Trans>The file is missing</Trans>}>
            <Trans>A backup without files may have been restored. Upload the file again.</Trans>
          </Banner>
        )}
        <Facts facts={facts} />
        <CopyLine label="SHA-256" text={one.sha256} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            <Trans>Close</Trans>
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
