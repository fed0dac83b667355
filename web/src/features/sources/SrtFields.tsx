import { useLingui } from '@lingui/react/macro';
import { NativeSelect, PasswordInput, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import styles from './SourceDialog.module.css';
import type { SourceValues } from './source-form.ts';

interface SrtFieldsProps {
  readonly form: UseFormReturnType<SourceValues>;
  readonly hasPassphrase: boolean;
  readonly isInput: boolean;
}

export function SrtFields({ form, hasPassphrase, isInput }: SrtFieldsProps) {
  const { t } = useLingui();
  const isListener = form.values.srtMode === 'listener';
  return (
    <>
      <NativeSelect
        label={t`Mode`}
        data={[
          {
            value: 'caller',
            label: isInput ? t`Caller: the hub calls the sender` : t`Caller: the hub calls the receiver`,
          },
          {
            value: 'listener',
            label: isInput ? t`Listener: the sender calls the hub` : t`Listener: receivers call the hub`,
          },
        ]}
        {...form.getInputProps('srtMode')}
      />
      <div className={styles.row}>
        <TextInput
          label={isListener ? t`Local address` : t`Host`}
          placeholder={isListener ? t`Every address of the hub` : ''}
          spellCheck={false}
          {...form.getInputProps('srtHost')}
        />
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
      {isListener && !isInput ? (
        <div className={styles.halves}>
          <TextInput
            label={t`Most receivers at a time`}
            inputMode="numeric"
            {...form.getInputProps('srtMaxConnections')}
          />
          <TextInput label={t`Stream ID`} spellCheck={false} {...form.getInputProps('srtStreamId')} />
        </div>
      ) : (
        <TextInput label={t`Stream ID`} spellCheck={false} {...form.getInputProps('srtStreamId')} />
      )}
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
