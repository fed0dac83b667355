import { Trans, useLingui } from '@lingui/react/macro';
import { TextInput } from '@mantine/core';
import type { Settings } from '../../../../daemon/contract/settings.ts';
import type { SettingsChange } from '../../../../daemon/contract/settings-fields.ts';
import { EncryptionFields } from '../../shared/sources/EncryptionFields.tsx';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { numberOf } from '../../ui/form/schema-form.ts';
import styles from './GeneralSettingsPage.module.css';
import { SettingsGroup } from './SettingsGroup.tsx';
import { type SettingsProps, useSettingsGroup } from './useSettingsGroup.ts';

interface Values {
  readonly port: string;
  readonly latency: string;
  readonly keyLength: string;
  readonly passphrase: string;
}

const paths = { port: 'srt.port', latency: 'srt.latency', keyLength: 'srt.pb-key-len', passphrase: 'srt.passphrase' };

export function SrtSettings({ settings }: SettingsProps) {
  const { t } = useLingui();
  const { srt } = settings;
  const hasPassphrase = srt['passphrase-set'];
  const group = useSettingsGroup<Values>({
    settings,
    group: 'srt',
    valuesOf,
    toChange,
    check: ({ keyLength, passphrase }) =>
      keyLength !== '0' && passphrase === '' && !hasPassphrase ? { passphrase: 'passphraseNeeded' } : {},
    paths,
  });
  const { form } = group;
  return (
    <SettingsGroup
      group={group}
      title={<Trans>SRT server</Trans>}
      intro={<Trans>Port and encryption for SRT publishing and playback.</Trans>}
      effect={<SrtEffect values={form.values} stored={srt} />}
    >
      <div className={styles.halves}>
        <TextInput label={t`UDP port`} inputMode="numeric" {...form.getInputProps('port')} />
        <TextInput
          label={t`Latency`}
          inputMode="numeric"
          rightSection="ms"
          rightSectionWidth={40}
          {...form.getInputProps('latency')}
        />
      </div>
      <EncryptionFields
        keyLength={form.getInputProps('keyLength')}
        isOn={form.values.keyLength !== '0'}
        passphrase={form.getInputProps('passphrase')}
        isKept={hasPassphrase}
      />
    </SettingsGroup>
  );
}

/** Only changes that require action at encoders or players are warnings. */
function SrtEffect({ values, stored }: { values: Values; stored: Settings['srt'] }) {
  const { port, keyLength, passphrase } = values;
  const isOpened = keyLength === '0' && stored['pb-key-len'] !== 0;
  const isNewKey = keyLength !== String(stored['pb-key-len']) || passphrase !== '';
  const text = <Trans>Open connections continue unchanged. New connections use the new settings.</Trans>;
  if (isOpened)
    return (
      <Banner tone="warn" title={<Trans>Encryption is switched off and the passphrase deleted</Trans>}>
        {text}
      </Banner>
    );
  if (isNewKey)
    return (
      <Banner tone="warn" title={<Trans>Encoders and players need the new encryption</Trans>}>
        {text}
      </Banner>
    );
  if (numberOf(port) !== stored.port) {
    return (
      <Banner tone="warn" title={<Trans>Encoders and players need the new port</Trans>}>
        {text}
      </Banner>
    );
  }
  return (
    <Banner tone="info" title={<Trans>The new latency applies to new connections</Trans>}>
      {text}
    </Banner>
  );
}

function valuesOf({ srt }: Settings): Values {
  return {
    port: String(srt.port),
    latency: String(srt.latency),
    keyLength: String(srt['pb-key-len']),
    passphrase: '',
  };
}

function toChange({ port, latency, keyLength, passphrase }: Values): SettingsChange {
  return {
    srt: {
      port: numberOf(port),
      latency: numberOf(latency),
      'pb-key-len': Number(keyLength) as 0 | 16 | 24 | 32,
      // A blank passphrase is omitted, so the hub keeps the stored one.
      ...(keyLength !== '0' && passphrase !== '' && { passphrase }),
    },
  };
}
