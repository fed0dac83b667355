import { useLingui } from '@lingui/react/macro';
import { NativeSelect, PasswordInput, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import styles from './SourceDialog.module.css';
import type { SourceValues } from './source-form.ts';

interface SrtFieldsProps {
  readonly form: UseFormReturnType<SourceValues>;
  readonly hasPassphrase: boolean;
}

export function SrtFields({ form, hasPassphrase }: SrtFieldsProps) {
  const { t } = useLingui();
  return (
    <>
      <div className={styles.row}>
        <TextInput label={t`Host`} spellCheck={false} {...form.getInputProps('srtHost')} />
        <TextInput label={t`Port`} inputMode="numeric" {...form.getInputProps('srtPort')} />
      </div>
      <div className={styles.halves}>
        <TextInput
          label={t`Latency`}
          inputMode="numeric"
          rightSection="ms"
          rightSectionWidth={40}
          {...form.getInputProps('srtLatency')}
        />
        <TextInput
          label={t`Bandwidth overhead`}
          inputMode="numeric"
          rightSection="%"
          {...form.getInputProps('srtOverhead')}
        />
      </div>
      <TextInput label={t`Stream ID`} spellCheck={false} {...form.getInputProps('srtStreamId')} />
      <div className={styles.halves}>
        <NativeSelect
          label={t`Encryption`}
          data={[
            { value: '0', label: t`Disabled` },
            { value: '16', label: 'AES-128' },
            { value: '24', label: 'AES-192' },
            { value: '32', label: 'AES-256' },
          ]}
          {...form.getInputProps('srtKeyLength')}
        />
        {form.values.srtKeyLength !== '0' && (
          <PasswordInput
            label={t`Passphrase`}
            autoComplete="new-password"
            placeholder={hasPassphrase ? t`Unchanged` : ''}
            visibilityToggleButtonProps={{ 'aria-label': t`Show or hide the passphrase` }}
            {...form.getInputProps('srtPassphrase')}
          />
        )}
      </div>
    </>
  );
}
