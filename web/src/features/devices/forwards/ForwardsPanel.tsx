import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { Device } from '../../../../../daemon/contract/devices.ts';
import type { Forward } from '../../../../../daemon/contract/forwards.ts';
import { useTopic } from '../../../api/live.ts';
import { useMay } from '../../../api/session.ts';
import { deferredPart } from '../../../lib/lazy-part.tsx';
import { Panel } from '../../../ui/layout/Panel.tsx';
import { useDialogAddress } from '../../../ui/overlay/dialog-address.ts';
import { TableGrid } from '../../../ui/table/TableGrid.tsx';
import styles from '../DevicePage.module.css';
import { ForwardActions, forwardColumns } from './ForwardRows.tsx';
import { forwardsQuery, forwardsTopic } from './forward-calls.ts';

const ForwardDialog = deferredPart(() => import('./ForwardDialog.tsx'));
const ForwardPortsDialog = deferredPart(() => import('./ForwardPortsDialog.tsx'));

/** The port forwards of one device. */
export default function ForwardsPanel({ device: { sn, name } }: { device: Device }) {
  const { t } = useLingui();
  const mayControl = useMay('deviceControl');
  const mayAllow = useMay('deviceAdvanced');
  const dialog = useDialogAddress();
  useTopic(forwardsTopic, true);
  const forwards = (useQuery(forwardsQuery).data ?? []).filter((one) => one.sn === sn);
  const { open, close } = dialog;
  const actions = useCallback((forward: Forward) => <ForwardActions forward={forward} open={open} />, [open]);
  const about = forwards.find(({ id }) => id === dialog.id);
  const aside = (
    <span className={styles.acts}>
      {mayAllow && (
        <Button size="xs" variant="default" onClick={() => open('forward-ports')}>
          <Trans>Allowed ports</Trans>
        </Button>
      )}
      {mayControl && (
        <Button size="xs" variant="default" onClick={() => open('add-forward')}>
          <Trans>Add port forward</Trans>
        </Button>
      )}
    </span>
  );
  return (
    <Panel title={<Trans>Port forwarding</Trans>} aside={aside} isFlush>
      {forwards.length === 0 ? (
        <p className={styles.quiet}>
          <Trans>This device has no port forwards.</Trans>
        </p>
      ) : (
        <TableGrid
          label={t`Port forwarding`}
          columns={forwardColumns}
          rows={forwards}
          {...(mayControl && { rowActions: actions })}
          actionsWidth={80}
        />
      )}
      {mayControl && dialog.name === 'add-forward' && <ForwardDialog forward={undefined} sn={sn} onClose={close} />}
      {mayControl && dialog.name === 'edit-forward' && about !== undefined && (
        <ForwardDialog key={about.id} forward={about} sn={sn} onClose={close} />
      )}
      {mayAllow && dialog.name === 'forward-ports' && <ForwardPortsDialog sn={sn} name={name} onClose={close} />}
    </Panel>
  );
}
