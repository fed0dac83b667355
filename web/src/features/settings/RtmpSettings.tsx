import { Trans, useLingui } from '@lingui/react/macro';
import { TextInput } from '@mantine/core';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { numberOf } from '../../ui/form/schema-form.ts';
import styles from './GeneralSettingsPage.module.css';
import { SettingsGroup } from './SettingsGroup.tsx';
import { type SettingsProps, useSettingsGroup } from './useSettingsGroup.ts';

export function RtmpSettings({ settings }: SettingsProps) {
  const { t } = useLingui();
  const group = useSettingsGroup({
    settings,
    group: 'rtmp',
    valuesOf: ({ rtmp }) => ({ port: String(rtmp.port) }),
    toChange: ({ port }) => ({ rtmp: { port: numberOf(port) } }),
    paths: { port: 'rtmp.port' },
  });
  return (
    <SettingsGroup
      group={group}
      title={<Trans>RTMP server</Trans>}
      intro={<Trans>Port for RTMP publishing and playback.</Trans>}
      effect={
        <Banner tone="warn" title={<Trans>Encoders and players need the new port</Trans>}>
          <Trans>Open connections continue. New connections must use the new port.</Trans>
        </Banner>
      }
    >
      <div className={styles.halves}>
        <TextInput label={t`TCP port`} inputMode="numeric" {...group.form.getInputProps('port')} />
      </div>
    </SettingsGroup>
  );
}
