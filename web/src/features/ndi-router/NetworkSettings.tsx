import { Trans, useLingui } from '@lingui/react/macro';
import { TextInput } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import type { NdiRouter } from '../../../../daemon/contract/ndi-router.ts';
import { settingsFields } from '../../../../daemon/contract/settings-fields.ts';
import { NdiExtraIpsField, NdiServersField } from '../../shared/sources/NdiDiscoveryFields.tsx';
import { settingsQuery } from '../../shared/system/settings-query.ts';
import { faultsOf } from '../../ui/form/schema-form.ts';
import { useEditedForm } from '../../ui/form/useEditedForm.ts';
import { DiscoveryServerSettings } from './DiscoveryServerSettings.tsx';
import styles from './NdiRouter.module.css';
import { PanelSettings } from './PanelSettings.tsx';
import { lastPart, SettingsGroup, type SettingsProps } from './SettingsGroup.tsx';

/** Settings of the hub that belong to the router: discovery and hardware panels. */
export default function NetworkSettings({ router }: { readonly router: NdiRouter }) {
  const settings = useSuspenseQuery(settingsQuery).data;
  return (
    <>
      <Discovery settings={settings} />
      <DiscoveryServerSettings settings={settings} server={router['discovery-server']} />
      <PanelSettings settings={settings} server={router.panels} />
    </>
  );
}

function Discovery({ settings }: SettingsProps) {
  const { t } = useLingui();
  const fields = useEditedForm({
    ...{ now: settings, revision: settings.revision['ndi-discovery'], queryKey: settingsQuery.queryKey },
    valuesOf: (of) => ({ ...(of ?? settings)['ndi-discovery'] }),
    check: (values) => faultsOf(settingsFields['ndi-discovery'], values),
    fieldOf: lastPart,
  });
  const { form } = fields;
  return (
    <SettingsGroup
      title={<Trans>Discovery</Trans>}
      fields={fields}
      toChange={(values) => ({ 'ndi-discovery': values })}
    >
      <NdiServersField
        description={t`Separated by commas. While there are any, outputs are announced to them only.`}
        value={form.getInputProps('servers')}
      />
      <NdiExtraIpsField value={form.getInputProps('extra-ips')} />
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
    </SettingsGroup>
  );
}
