import { Trans, useLingui } from '@lingui/react/macro';
import { TextInput } from '@mantine/core';
import { useSystem } from '../../shared/system/system-query.ts';
import { SettingsGroup } from './SettingsGroup.tsx';
import { type SettingsProps, useSettingsGroup } from './useSettingsGroup.ts';

export function HubNameSettings({ settings }: SettingsProps) {
  const { t } = useLingui();
  const hostName = useSystem()?.info['host-name'] ?? '';
  const group = useSettingsGroup({
    settings,
    group: 'hub-name',
    valuesOf: (now) => ({ name: now['hub-name'] }),
    toChange: ({ name }) => ({ 'hub-name': name.trim() }),
    paths: { name: 'hub-name' },
  });
  return (
    <SettingsGroup
      group={group}
      title={<Trans>Hub name</Trans>}
      intro={<Trans>Shown in page titles, on the sign-in page, and in alarm mails and webhook events.</Trans>}
    >
      <TextInput label={t`Name`} placeholder={hostName} {...group.form.getInputProps('name')} />
    </SettingsGroup>
  );
}
