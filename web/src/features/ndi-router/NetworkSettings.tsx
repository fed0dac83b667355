import { Trans, useLingui } from '@lingui/react/macro';
import { Checkbox, TextInput } from '@mantine/core';
import { useMutation, useSuspenseQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Settings } from '../../../../daemon/contract/settings.ts';
import { type SettingsChange, settingsFields } from '../../../../daemon/contract/settings-fields.ts';
import { settingsApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { useMay } from '../../api/session.ts';
import { settingsQuery } from '../../shared/system/settings-query.ts';
import { showToast } from '../../ui/feedback/toasts.ts';
import { faultsOf, numberOf } from '../../ui/form/schema-form.ts';
import { type EditedForm, useEditedForm } from '../../ui/form/useEditedForm.ts';
import styles from './NdiRouter.module.css';
import { SettingsPanel } from './SettingsPanel.tsx';

/** Settings of the hub that belong to the router: discovery and hardware panels. */
export default function NetworkSettings() {
  const settings = useSuspenseQuery(settingsQuery).data;
  return (
    <>
      <Discovery settings={settings} />
      <Panels settings={settings} />
    </>
  );
}

interface OwnProps {
  readonly settings: Settings;
}

function Discovery({ settings }: OwnProps) {
  const { t } = useLingui();
  const fields = useEditedForm({
    ...{ now: settings, revision: settings.revision['ndi-discovery'], queryKey: settingsQuery.queryKey },
    valuesOf: (of) => ({ ...(of ?? settings)['ndi-discovery'] }),
    check: (values) => faultsOf(settingsFields['ndi-discovery'], values),
    fieldOf: lastPart,
  });
  const { form } = fields;
  return (
    <Group title={<Trans>Discovery</Trans>} fields={fields} toChange={(values) => ({ 'ndi-discovery': values })}>
      <TextInput
        label={t`Discovery servers`}
        description={t`Separated by commas. While there are any, outputs are announced to them only.`}
        placeholder="10.0.0.5:5959"
        spellCheck={false}
        {...form.getInputProps('servers')}
      />
      <TextInput
        label={t`Additional machines`}
        description={t`IPv4 addresses of machines outside this network, separated by commas.`}
        placeholder="10.1.0.20"
        spellCheck={false}
        {...form.getInputProps('extra-ips')}
      />
      <div className={styles.halves}>
        <TextInput
          label={t`Groups of outputs`}
          placeholder="Public"
          spellCheck={false}
          {...form.getInputProps('send-groups')}
        />
        <TextInput
          label={t`Groups of sources`}
          placeholder="Public"
          spellCheck={false}
          {...form.getInputProps('receive-groups')}
        />
      </div>
    </Group>
  );
}

interface PanelValues {
  readonly enabled: boolean;
  readonly address: string;
  readonly port: string;
  readonly allow: string;
}

function Panels({ settings }: OwnProps) {
  const { t } = useLingui();
  const toChange = (values: PanelValues): SettingsChange => ({
    videohub: {
      ...{ enabled: values.enabled, address: values.address.trim(), port: numberOf(values.port) },
      allow: values.allow.split(/[\s,]+/).filter(Boolean),
    },
  });
  const fields = useEditedForm<Settings, PanelValues>({
    ...{ now: settings, revision: settings.revision.videohub, queryKey: settingsQuery.queryKey },
    valuesOf: (of) => {
      const { enabled, address, port, allow } = (of ?? settings).videohub;
      return { enabled, address, port: String(port), allow: allow.join(', ') };
    },
    check: (values) => {
      const faults = faultsOf(settingsFields.videohub, toChange(values).videohub);
      return Object.fromEntries(Object.entries(faults).map(([path, rule]) => [lastPart(path), rule]));
    },
    fieldOf: lastPart,
  });
  const { form } = fields;
  return (
    <Group title={<Trans>Hardware panels</Trans>} fields={fields} toChange={toChange}>
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
    </Group>
  );
}

/** Returns the field of a path in the request. The path of a list ends with the number of the entry. */
function lastPart(path: string): string {
  return path.split('.').findLast((part) => !/^\d+$/.test(part)) ?? path;
}

interface GroupProps<V extends object> {
  readonly title: ReactNode;
  readonly fields: EditedForm<Settings, V>;
  readonly toChange: (values: V) => SettingsChange;
  readonly children: ReactNode;
}

function Group<V extends object>({ title, fields, toChange, children }: GroupProps<V>) {
  const { t } = useLingui();
  const noEdit = useMay('systemEdit') ? undefined : t`You may view these settings, not change them.`;
  const { edit, place } = fields;
  const save = useMutation({
    mutationFn: async (values: V) => {
      const { revision } = await call(settingsApi.set, { body: { ...toChange(values), revision: edit.basis() } });
      edit.follow(revision);
    },
    onSuccess: () => showToast('success', t`The settings of the router were saved.`),
    onError: place,
  });
  return (
    <SettingsPanel title={title} fields={fields} save={save} noEdit={noEdit}>
      {children}
    </SettingsPanel>
  );
}
