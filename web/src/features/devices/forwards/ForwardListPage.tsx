import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconPlus, IconRoute } from '@tabler/icons-react';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { Forward } from '../../../../../daemon/contract/forwards.ts';
import { limits } from '../../../../../daemon/contract/limits.ts';
import { useTopic } from '../../../api/live.ts';
import { useMay } from '../../../api/session.ts';
import { deferredPart } from '../../../lib/lazy-part.tsx';
import { PageHeader } from '../../../shared/page/PageHeader.tsx';
import { EmptyState } from '../../../ui/layout/EmptyState.tsx';
import { useDialogAddress } from '../../../ui/overlay/dialog-address.ts';
import { WithReason } from '../../../ui/overlay/WithReason.tsx';
import type { Column } from '../../../ui/table/column.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { deviceColumn, ForwardActions, forwardColumns } from './ForwardRows.tsx';
import { forwardsQuery, forwardsTopic } from './forward-calls.ts';

const ForwardDialog = deferredPart(() => import('./ForwardDialog.tsx'));
const ForwardPortsDialog = deferredPart(() => import('./ForwardPortsDialog.tsx'));

const [nameColumn, stateColumn, ...others] = forwardColumns;
const columns: readonly Column<Forward>[] = [nameColumn, stateColumn, deviceColumn, ...others].filter(
  (column) => column !== undefined,
);

export default function ForwardListPage() {
  const { t } = useLingui();
  const mayControl = useMay('deviceControl');
  const mayAllow = useMay('deviceAdvanced');
  const dialog = useDialogAddress();
  useTopic(forwardsTopic, true);
  const forwards = useSuspenseQuery(forwardsQuery).data;
  const { open, close, name } = dialog;
  const actions = useCallback((forward: Forward) => <ForwardActions forward={forward} open={open} />, [open]);
  const about = forwards.find(({ id }) => id === dialog.id);
  const { count } = limits.forwards;
  const full = forwards.length >= count ? t`Limit of ${count} port forwards reached. Delete one first.` : undefined;
  const add = mayControl && (
    <WithReason reason={full}>
      <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => open('add-forward')}>
        <Trans>Add port forward</Trans>
      </Button>
    </WithReason>
  );
  return (
    <>
      <PageHeader title={t`Port forwarding`} actions={add} />
      <DataTable
        id="forwards"
        label={t`Port forwarding`}
        columns={columns}
        items={forwards}
        {...(mayControl && { rowActions: actions })}
        actionsWidth={80}
        empty={
          <EmptyState icon={IconRoute} title={<Trans>No port forwards yet</Trans>} action={add}>
            <Trans>
              A port forward opens a port of the hub that leads to a port of a device, such as its SSH or web page. It
              also works for devices behind an agent.
            </Trans>
          </EmptyState>
        }
      />
      {mayControl && name === 'add-forward' && <ForwardDialog forward={undefined} sn={undefined} onClose={close} />}
      {mayControl && name === 'edit-forward' && about !== undefined && (
        <ForwardDialog key={about.id} forward={about} sn={about.sn} onClose={close} />
      )}
      {mayAllow && name === 'forward-ports' && about !== undefined && (
        <ForwardPortsDialog sn={about.sn} name={about['device-name']} onClose={close} />
      )}
    </>
  );
}
