import { Trans, useLingui } from '@lingui/react/macro';
import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import type { Settings } from '../../../../daemon/contract/settings.ts';
import {
  type SettingsChange,
  settingsFields,
  type VideohubVersion,
  videohubVersions,
} from '../../../../daemon/contract/settings-fields.ts';
import { settingsQuery } from '../../shared/system/settings-query.ts';
import { faultsOf, numberOf } from '../../ui/form/schema-form.ts';
import { useEditedForm } from '../../ui/form/useEditedForm.ts';
import styles from './NdiRouter.module.css';
import { lastPart, SettingsGroup, type SettingsProps } from './SettingsGroup.tsx';

interface PanelValues {
  readonly enabled: boolean;
  readonly address: string;
  readonly port: string;
  readonly allow: string;
  readonly model: string;
  readonly version: VideohubVersion;
}

/** The server for hardware panels. */
export function PanelSettings({ settings }: SettingsProps) {
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
