import { Trans, useLingui } from '@lingui/react/macro';
import { Checkbox } from '@mantine/core';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { SettingsGroup } from './SettingsGroup.tsx';
import { type SettingsProps, useSettingsGroup } from './useSettingsGroup.ts';

export function OutgoingSettings({ settings }: SettingsProps) {
  const { t } = useLingui();
  const group = useSettingsGroup({
    settings,
    group: 'outgoing',
    valuesOf: ({ outgoing }) => ({ media: outgoing['private-media'], webhook: outgoing['private-webhook'] }),
    toChange: ({ media, webhook }) => ({ outgoing: { 'private-media': media, 'private-webhook': webhook } }),
    paths: { media: 'outgoing.private-media', webhook: 'outgoing.private-webhook' },
  });
  const { form } = group;
  return (
    <SettingsGroup
      group={group}
      title={<Trans>Outgoing connections</Trans>}
      intro={
        <Trans>
          Whether the hub connects to private networks and to this machine itself. It never connects to link-local
          addresses, such as the metadata service of a cloud.
        </Trans>
      }
      effect={
        <Banner tone="info" title={<Trans>The change applies to new connections</Trans>}>
          <Trans>Connections that are open continue.</Trans>
        </Banner>
      }
    >
      <Checkbox
        label={t`Inputs and outputs may use private addresses`}
        {...form.getInputProps('media', { type: 'checkbox' })}
      />
      <Checkbox
        label={t`The alarm webhook and mail may use private addresses`}
        {...form.getInputProps('webhook', { type: 'checkbox' })}
      />
    </SettingsGroup>
  );
}
