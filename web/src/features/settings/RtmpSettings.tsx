import { Trans, useLingui } from '@lingui/react/macro';
import { TextInput } from '@mantine/core';
import { SettingsGroup } from './SettingsGroup.tsx';
import { numberOf, type SettingsProps, useSettingsGroup } from './useSettingsGroup.ts';

export function RtmpSettings({ settings }: SettingsProps) {
  const { t } = useLingui();
  const group = useSettingsGroup({
    initial: { port: String(settings.rtmp.port) },
    toChange: ({ port }) => ({ rtmp: { port: numberOf(port) } }),
    paths: { port: 'rtmp.port' },
  });
  return (
    <SettingsGroup
      group={group}
      title={<Trans>RTMP server</Trans>}
      intro={<Trans>Where encoders push and players watch over RTMP. A new port ends the present connections.</Trans>}
    >
      <TextInput label={t`Port`} inputMode="numeric" {...group.form.getInputProps('port')} />
    </SettingsGroup>
  );
}
