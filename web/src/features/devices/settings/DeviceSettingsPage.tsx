import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import { useMay } from '../../../api/session.ts';
import { useFormat } from '../../../i18n/useFormat.ts';
import { deferredPart } from '../../../lib/lazy-part.tsx';
import { paths } from '../../../lib/paths.ts';
import { useDeviceGroups } from '../../../shared/devices/groups-query.ts';
import { PageHeader } from '../../../shared/page/PageHeader.tsx';
import { peopleQuery } from '../../../shared/users/user-calls.ts';
import { Facts } from '../../../ui/layout/Facts.tsx';
import { Panel } from '../../../ui/layout/Panel.tsx';
import { type DialogAddress, useDialogAddress } from '../../../ui/overlay/dialog-address.ts';
import { WithReason } from '../../../ui/overlay/WithReason.tsx';
import { playingParts, sendingParts } from '../connection/connection-words.ts';
import type { GlobalDevices } from '../connection/GlobalConnectionDialog.tsx';
import { changeGlobal, globalQuery } from '../device-calls.ts';
import { securityValues } from '../security/security-form.ts';
import { viewersText } from '../security/security-words.ts';
import styles from './DeviceSettingsPage.module.css';

const GlobalConnectionDialog = deferredPart(() => import('../connection/GlobalConnectionDialog.tsx'));
const SecurityDialog = deferredPart(async () => {
  const { SecurityDialog: part } = await import('../security/SecurityDialog.tsx');
  return { default: part };
});

/** What applies to all devices and groups that have no setting of their own. */
export default function DeviceSettingsPage() {
  const { t } = useLingui();
  const global = useSuspenseQuery(globalQuery).data;
  const dialog = useDialogAddress();
  const mayEdit = useMay('deviceSecurity');
  const { security, revision } = global;
  return (
    <>
      <PageHeader title={t`Device settings`} />
      <div className={styles.page}>
        <VisibilityPanel global={global} open={dialog.open} />
        <ConnectionPanel global={global} open={dialog.open} />
      </div>
      {mayEdit && dialog.name === 'visibility' && (
        <SecurityDialog
          title={t`Who may see devices?`}
          security={security}
          inherits={undefined}
          save={({ 'is-inherit': _, ...masks }) => changeGlobal({ security: masks, revision })}
          onClose={dialog.close}
        />
      )}
      {mayEdit && dialog.name === 'connection' && <GlobalConnectionDialog global={global} onClose={dialog.close} />}
    </>
  );
}

interface PartProps {
  readonly global: GlobalDevices;
  readonly open: DialogAddress['open'];
}

function VisibilityPanel({ global: { security }, open }: PartProps) {
  const { t, i18n } = useLingui();
  const { comma } = useFormat();
  // Only those who manage users know their names.
  const people = useQuery({ ...peopleQuery, enabled: useMay('userControl') }).data;
  const groups = useDeviceGroups();
  const own = groups.filter((group) => group.id !== 0 && group['is-inherit'] === 0);
  const isForAll = securityValues(security, { groups: [], users: [] }).mode === 'all';
  const someText =
    people === undefined ? t`Chosen groups and users` : viewersText(i18n, comma, { masks: security, people });
  return (
    <Panel
      title={<Trans>Visibility</Trans>}
      aside={<ChangeButton label={t`Change who may see devices`} onClick={() => open('visibility')} />}
    >
      <Facts
        facts={[
          { name: t`Devices are seen by`, value: isForAll ? t`All users` : someText },
          {
            name: t`Groups with a setting of their own`,
            value: own.length === 0 ? t`None` : own.map(({ name }) => name).join(comma),
          },
        ]}
      />
      <p className={styles.note}>
        <Trans>
          This applies to devices and groups that have no setting of their own. A device takes the setting of its group,
          and a group that of the group above it. Administrators always see everything.
        </Trans>
      </p>
      <p className={styles.note}>
        <Trans>
          What users may do with the devices that they see is set by the permissions of their{' '}
          <Link to={paths.users}>user group</Link>.
        </Trans>
      </p>
    </Panel>
  );
}

const asSentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function ConnectionPanel({ global: { config }, open }: PartProps) {
  const { t } = useLingui();
  const { comma } = useFormat();
  return (
    <Panel
      title={<Trans>Connection</Trans>}
      aside={<ChangeButton label={t`Change how devices connect`} onClick={() => open('connection')} />}
    >
      <Facts
        facts={[
          { name: t`Encoders send`, value: asSentence(sendingParts(config).join(comma)) },
          { name: t`Decoders play`, value: asSentence(playingParts(config).join(comma)) },
        ]}
      />
      <p className={styles.note}>
        <Trans>
          The hub enters this on devices that are connected with a channel. Choose “Connection” in the menu of a device
          for settings of its own.
        </Trans>
      </p>
    </Panel>
  );
}

function ChangeButton({ label, onClick }: { label: string; onClick: () => void }) {
  const { t } = useLingui();
  const mayEdit = useMay('deviceSecurity');
  return (
    <WithReason reason={mayEdit ? undefined : t`Admin account required`}>
      <Button
        size="xs"
        variant="default"
        aria-label={label}
        leftSection={<IconPencil size={14} aria-hidden />}
        onClick={onClick}
      >
        <Trans>Change</Trans>
      </Button>
    </WithReason>
  );
}
