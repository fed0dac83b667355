import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Checkbox, TextInput } from '@mantine/core';
import { IconCircleFilled, IconRefresh } from '@tabler/icons-react';
import type { NdiRouter } from '../../../../daemon/contract/ndi-router.ts';
import type { Settings } from '../../../../daemon/contract/settings.ts';
import { type SettingsChange, settingsFields } from '../../../../daemon/contract/settings-fields.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import { settingsQuery } from '../../shared/system/settings-query.ts';
import { type Look, LookMark } from '../../ui/data/StateMark.tsx';
import { faultsOf, numberOf } from '../../ui/form/schema-form.ts';
import { useEditedForm } from '../../ui/form/useEditedForm.ts';
import styles from './NdiRouter.module.css';
import { lastPart, SettingsGroup, type SettingsProps } from './SettingsGroup.tsx';
import { disabledLook, retryLook } from './server-looks.ts';

type Server = NonNullable<NdiRouter['discovery-server']>;

const looks: Readonly<Record<Server['state'], Look>> = {
  disabled: disabledLook,
  starting: { tone: 'info', icon: IconRefresh, text: msg`Starting` },
  started: { tone: 'live', icon: IconCircleFilled, text: msg`Started` },
  waiting: retryLook,
};

interface ServerValues {
  readonly enable: boolean;
  readonly port: string;
}

/** The hub's own discovery server, a program of the vendor. */
export function DiscoveryServerSettings({ settings, server }: SettingsProps & { readonly server: Server | undefined }) {
  const { t } = useLingui();
  const toChange = ({ enable, port }: ServerValues): SettingsChange => ({
    'hub-ndi-server': { enable, port: numberOf(port) },
  });
  const fields = useEditedForm<Settings, ServerValues>({
    ...{ now: settings, revision: settings.revision['hub-ndi-server'], queryKey: settingsQuery.queryKey },
    valuesOf: (of) => {
      const { enable, port } = (of ?? settings)['hub-ndi-server'];
      return { enable, port: String(port) };
    },
    check: (values) => faultsOf(settingsFields['hub-ndi-server'], toChange(values)['hub-ndi-server']),
    fieldOf: lastPart,
  });
  const { form } = fields;
  return (
    <SettingsGroup title={<Trans>Discovery server of this hub</Trans>} fields={fields} toChange={toChange}>
      {server && <ServerState server={server} />}
      <Checkbox
        label={t`Run a discovery server on this hub`}
        description={t`Other machines use it to find sources where mDNS does not reach. For this hub to use it too, enter the hub’s address under Discovery servers.`}
        {...form.getInputProps('enable', { type: 'checkbox' })}
      />
      <TextInput label={t`Port`} inputMode="numeric" maw={180} {...form.getInputProps('port')} />
    </SettingsGroup>
  );
}

function ServerState({ server: { state, fault, detail, folders = [] } }: { readonly server: Server }) {
  const { comma } = useFormat();
  const searched = folders.join(comma);
  return (
    <div>
      <LookMark look={looks[state]} />
      {fault === 'notInstalled' && (
        <p className={styles.hint}>
          <Trans>
            The program is not installed. Install ndi-discovery-server from the vendor’s NDI SDK in one of these
            folders: <code>{searched}</code>
          </Trans>
        </p>
      )}
      {fault === 'ended' && (
        <p className={styles.hint}>
          <Trans>
            The program has ended: <code>{detail}</code>
          </Trans>
        </p>
      )}
    </div>
  );
}
