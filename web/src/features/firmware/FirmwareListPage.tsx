import { Trans, useLingui } from '@lingui/react/macro';
import { Button, FileButton } from '@mantine/core';
import { IconCpu, IconUpload } from '@tabler/icons-react';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useRef } from 'react';
import { familyOf } from '../../../../daemon/contract/device-catalog.ts';
import type { Firmware } from '../../../../daemon/contract/firmware.ts';
import { compareVersions } from '../../../../daemon/contract/firmware-names.ts';
import { useMay } from '../../api/session.ts';
import { deferredPart } from '../../lib/lazy-part.tsx';
import { firmwareQuery } from '../../shared/firmware/firmware-calls.ts';
import { PageHeader } from '../../shared/page/PageHeader.tsx';
import { DropZone } from '../../ui/form/DropZone.tsx';
import { EmptyState } from '../../ui/layout/EmptyState.tsx';
import { useDialogAddress } from '../../ui/overlay/dialog-address.ts';
import { DataTable } from '../../ui/table/DataTable.tsx';
import styles from './FirmwareListPage.module.css';
import { FirmwareRowActions } from './FirmwareRowActions.tsx';
import { firmwareActs } from './firmware-bulk.ts';
import { firmwareColumns } from './firmware-columns.tsx';
import { UploadPanel } from './uploads/UploadPanel.tsx';
import { useAddFiles } from './uploads/useAddFiles.tsx';
import { useFamilyFilter } from './useFamilyFilter.tsx';

const UpgradeDialog = deferredPart(() => import('../../shared/firmware/upgrade/UpgradeDialog.tsx'));
const FirmwareFactsDialog = deferredPart(() => import('./FirmwareFactsDialog.tsx'));

/** By family and product, the newest version first. */
const inOrder = (a: Firmware, b: Firmware) =>
  a.module - b.module ||
  a['product-id'] - b['product-id'] ||
  (a['hardware-ver'] < b['hardware-ver'] ? -1 : a['hardware-ver'] > b['hardware-ver'] ? 1 : 0) ||
  compareVersions(b.version, a.version);

export default function FirmwareListPage() {
  const { t } = useLingui();
  const mayManage = useMay('firmwareManage');
  const mayControl = useMay('deviceControl');
  const dialog = useDialogAddress();
  const { list, products } = useSuspenseQuery(firmwareQuery).data;
  const { addFiles, question } = useAddFiles({ list, products });
  const sorted = useMemo(() => list.toSorted(inOrder), [list]);
  const { family, filter } = useFamilyFilter(sorted);
  const shown = family === undefined ? sorted : sorted.filter((one) => familyOf(one.module) === family);
  const { open } = dialog;
  const actions = useCallback((one: Firmware) => <FirmwareRowActions one={one} open={open} />, [open]);
  const about = list.find(({ id }) => id === dialog.id);
  const reset = useRef<() => void>(null);
  const choose = (files: File[]) => {
    // Otherwise the same files could not be chosen again.
    reset.current?.();
    addFiles(files);
  };
  const upload = mayManage && (
    <FileButton accept=".mwf" multiple resetRef={reset} onChange={choose}>
      {(props) => (
        <Button leftSection={<IconUpload size={16} aria-hidden />} {...props}>
          <Trans>Upload firmware</Trans>
        </Button>
      )}
    </FileButton>
  );
  return (
    <DropZone
      className={styles.zone}
      onFiles={mayManage ? addFiles : undefined}
      note={<Trans>Drop the firmware files here</Trans>}
    >
      <PageHeader title={t`Firmware`} actions={upload} />
      {mayManage && <UploadPanel />}
      <DataTable
        id="firmware"
        label={t`Firmware files`}
        columns={firmwareColumns}
        items={shown}
        rowActions={actions}
        actionsWidth={48}
        {...(mayManage && { bulk: firmwareActs })}
        filter={filter}
        empty={
          <EmptyState icon={IconCpu} title={<Trans>No firmware files yet</Trans>} action={upload}>
            <Trans>
              Upload the firmware files (.mwf) of your devices, or drop them on this page. Device upgrades use these
              files.
            </Trans>
          </EmptyState>
        }
      />
      {question}
      {dialog.name === 'upgrade' && mayControl && about !== undefined && (
        <UpgradeDialog file={about.id} onClose={dialog.close} />
      )}
      {dialog.name === 'details' && about !== undefined && <FirmwareFactsDialog one={about} onClose={dialog.close} />}
    </DropZone>
  );
}
