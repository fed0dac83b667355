import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { IconCircleFilled } from '@tabler/icons-react';
import type { NdiRouter } from '../../../../daemon/contract/ndi-router.ts';
import type { Settings } from '../../../../daemon/contract/settings.ts';
import {
  type SettingsChange,
  settingsFields,
  type VideohubVersion,
  videohubVersions,
} from '../../../../daemon/contract/settings-fields.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import { settingsQuery } from '../../shared/system/settings-query.ts';
import { type Look, LookMark } from '../../ui/data/StateMark.tsx';
import { faultsOf, numberOf } from '../../ui/form/schema-form.ts';
import { useEditedForm } from '../../ui/form/useEditedForm.ts';
import styles from './NdiRouter.module.css';
import { lastPart, SettingsGroup, type SettingsProps } from './SettingsGroup.tsx';
import { disabledLook, retryLook } from './server-looks.ts';

type Server = NonNullable<NdiRouter['panels']>;

const looks: Readonly<Record<Server['state'], Look>> = {
  off: disabledLook,
  listening: { tone: 'live', icon: IconCircleFilled, text: msg`Listening` },
  failed: retryLook,
};

interface PanelValues {
  readonly enabled: boolean;
  readonly address: string;
  readonly port: string;
  readonly allow: string;
  readonly model: string;
  readonly version: VideohubVersion;
}

/** The server for hardware panels. */
export function PanelSettings({ settings, server }: SettingsProps & { readonly server: Server | undefined }) {
  const { t } = useLingui();
  const toChange = (values: PanelValues): SettingsChange => ({
    videohub: {
      ...{ enabled: values.enabled, address: values.address.trim(), port: numberOf(values.port) },
      allow: values.allow.split(/[\s,]+/).filter(Boolean),
      ...{ model: values.model.trim(), version: values.version },
    },
  });
  const fields = useEditedForm<Settings, PanelValues>({
    ...{ now: settings, revision: settings.revision.videohub, queryKey: settingsQuery.queryKey },
    valuesOf: (of) => {
      const { port, allow, ...others } = (of ?? settings).videohub;
      return { ...others, port: String(port), allow: allow.join(', ') };
    },
    check: (values) => {
      const faults = faultsOf(settingsFields.videohub, toChange(values).videohub);
      return Object.fromEntries(Object.entries(faults).map(([path, rule]) => [lastPart(path), rule]));
    },
    fieldOf: lastPart,
  });
  const { form } = fields;
  return (
    <SettingsGroup title={<Trans>Hardware panels</Trans>} fields={fields} toChange={toChange}>
      {server && <PanelServerState server={server} />}
      <Checkbox
        label={t`Hardware panels control the router over the Videohub protocol`}
        description={t`The protocol has no sign-in and no encryption: only the addresses below may connect.`}
        {...form.getInputProps('enabled', { type: 'checkbox' })}
      />
      <div className={styles.halves}>
        <TextInput
          label={t`Address of the hub`}
          placeholder="192.168.1.10"
          spellCheck={false}
          {...form.getInputProps('address')}
        />
        <TextInput label={t`Port`} inputMode="numeric" {...form.getInputProps('port')} />
      </div>
      <TextInput
        label={t`Addresses of panels`}
        description={t`Separated by commas.`}
        spellCheck={false}
        {...form.getInputProps('allow')}
      />
      <div className={styles.halves}>
        <TextInput label={t`Model`} spellCheck={false} {...form.getInputProps('model')} />
        <NativeSelect label={t`Protocol version`} data={[...videohubVersions]} {...form.getInputProps('version')} />
      </div>
    </SettingsGroup>
  );
}

function PanelServerState({ server: { state, fault, clients } }: { readonly server: Server }) {
  const { comma } = useFormat();
  const addresses = clients.join(comma);
  return (
    <div>
      <LookMark look={looks[state]} />
      <p className={styles.hint}>
        {fault === 'portTaken' && <Trans>Another program on this machine uses the port.</Trans>}
        {fault === 'noAddress' && <Trans>The hub does not have this address at the moment.</Trans>}
        {fault === 'other' && <Trans>The port cannot be opened. The system log has the reason.</Trans>}
        {state === 'listening' && addresses === '' && <Trans>No panels are connected.</Trans>}
        {state === 'listening' && addresses !== '' && <Trans>Connected panels: {addresses}</Trans>}
      </p>
    </div>
  );
}
