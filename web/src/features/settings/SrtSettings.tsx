import { Trans, useLingui } from '@lingui/react/macro';
import { NativeSelect, PasswordInput, TextInput } from '@mantine/core';
import styles from './GeneralSettingsPage.module.css';
import { SettingsGroup } from './SettingsGroup.tsx';
import { numberOf, type SettingsProps, useSettingsGroup } from './useSettingsGroup.ts';

export function SrtSettings({ settings: { srt } }: SettingsProps) {
  const { t } = useLingui();
  const group = useSettingsGroup({
    initial: {
      port: String(srt.port),
      latency: String(srt.latency),
      keyLength: String(srt['pb-key-len']),
      passphrase: '',
    },
    toChange: ({ port, latency, keyLength, passphrase }) => ({
      srt: {
        port: numberOf(port),
        latency: numberOf(latency),
        'pb-key-len': Number(keyLength) as 0 | 16 | 24 | 32,
        ...(keyLength !== '0' && passphrase !== '' && { passphrase }),
      },
    }),
    check: ({ keyLength, passphrase }) =>
      keyLength !== '0' && passphrase === '' && !srt['passphrase-set'] ? { passphrase: 'passphraseNeeded' } : {},
    paths: { port: 'srt.port', latency: 'srt.latency', keyLength: 'srt.pb-key-len', passphrase: 'srt.passphrase' },
  });
  const { form } = group;
  return (
    <SettingsGroup
      group={group}
      title={<Trans>SRT server</Trans>}
      intro={<Trans>Where encoders push and players watch over SRT. A change ends the present SRT connections.</Trans>}
    >
      <div className={styles.halves}>
        <TextInput label={t`Port`} inputMode="numeric" {...form.getInputProps('port')} />
        <TextInput
          label={t`Latency`}
          inputMode="numeric"
          rightSection="ms"
          rightSectionWidth={40}
          {...form.getInputProps('latency')}
        />
      </div>
      <div className={styles.halves}>
        <NativeSelect
          label={t`Encryption`}
          data={[
            { value: '0', label: t`Disabled` },
            { value: '16', label: 'AES-128' },
            { value: '24', label: 'AES-192' },
            { value: '32', label: 'AES-256' },
          ]}
          {...form.getInputProps('keyLength')}
        />
        {form.values.keyLength !== '0' && (
          <PasswordInput
            label={t`Passphrase`}
            autoComplete="new-password"
            placeholder={srt['passphrase-set'] ? t`Unchanged` : ''}
            visibilityToggleButtonProps={{ 'aria-label': t`Show or hide the passphrase` }}
            {...form.getInputProps('passphrase')}
          />
        )}
      </div>
    </SettingsGroup>
  );
}
