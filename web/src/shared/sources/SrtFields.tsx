import { useLingui } from '@lingui/react/macro';
import { NativeSelect, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { SecretInput } from '../../ui/form/SecretInput.tsx';
import { EncryptionFields } from './EncryptionFields.tsx';
import { SrtLinkFields } from './FormParts.tsx';
import styles from './SourceDialog.module.css';
import type { SourceValues } from './source-values.ts';

interface SrtFieldsProps {
  readonly form: UseFormReturnType<SourceValues>;
  readonly hasPassphrase: boolean;
  readonly isInput: boolean;
  /** Records that the stored stream ID is revealed; undefined without one. */
  readonly reveal: (() => Promise<unknown>) | undefined;
}

export function SrtFields({ form, hasPassphrase, isInput, reveal }: SrtFieldsProps) {
  const { t } = useLingui();
  const isListener = form.values.srtMode === 'listener';
  const streamId = (
    <SecretInput
      label={t`Stream ID`}
      description={
        isListener
          ? t`If neither a stream ID nor encryption is set, anyone who reaches this port can connect`
          : undefined
      }
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      toggle={t`Show or hide the stream id`}
      reveal={reveal}
      placeholder={form.values.isKeyKept ? t`Unchanged` : ''}
      {...form.getInputProps('srtStreamId')}
    />
  );
  return (
    <>
      <NativeSelect
        label={t`Mode`}
        data={[
          {
            value: 'caller',
            label: isInput ? t`Caller (hub connects to the sender)` : t`Caller (hub connects to the receiver)`,
          },
          {
            value: 'listener',
            label: isInput ? t`Listener (sender connects to the hub)` : t`Listener (receivers connect to the hub)`,
          },
        ]}
        {...form.getInputProps('srtMode')}
      />
      <SrtLinkFields
        isListener={isListener}
        host={form.getInputProps('srtHost')}
        port={form.getInputProps('srtPort')}
        latency={form.getInputProps('srtLatency')}
        overhead={form.getInputProps('srtOverhead')}
      />
      {isListener && !isInput ? (
        <div className={styles.halves}>
          <TextInput label={t`Max. receivers`} inputMode="numeric" {...form.getInputProps('srtMaxConnections')} />
          {streamId}
        </div>
      ) : (
        streamId
      )}
      <EncryptionFields
        keyLength={form.getInputProps('srtKeyLength')}
        isOn={form.values.srtKeyLength !== '0'}
        passphrase={form.getInputProps('srtPassphrase')}
        isKept={hasPassphrase}
      />
    </>
  );
}
