import { useLingui } from '@lingui/react/macro';
import { TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { isMulticast } from '../../../../daemon/contract/rules.ts';
import { HeldField } from './FormParts.tsx';
import styles from './SourceDialog.module.css';
import type { SourceValues } from './source-values.ts';

interface UdpFieldsProps {
  readonly form: UseFormReturnType<SourceValues>;
  readonly isInput: boolean;
}

export function UdpFields({ form, isInput }: UdpFieldsProps) {
  const { t } = useLingui();
  const isGroup = isMulticast(form.values.udpHost.trim());
  return (
    <>
      <div className={styles.row}>
        <TextInput
          label={isInput ? t`Local address or group` : t`Host or multicast group`}
          placeholder={isInput ? t`All addresses` : ''}
          spellCheck={false}
          {...form.getInputProps('udpHost')}
        />
        <TextInput label={t`Port`} inputMode="numeric" {...form.getInputProps('udpPort')} />
      </div>
      {(isGroup || isInput) && (
        <div className={styles.halves}>
          {isGroup && !isInput && (
            <TextInput label={t`Time to live`} inputMode="numeric" {...form.getInputProps('udpTtl')} />
          )}
          {isGroup && (
            <TextInput
              label={t`Interface`}
              placeholder={t`Chosen by the system`}
              spellCheck={false}
              {...form.getInputProps('udpInterface')}
            />
          )}
          {isInput && (
            <TextInput
              label={t`Sender address`}
              placeholder={t`Any sender`}
              spellCheck={false}
              {...form.getInputProps('udpSource')}
            />
          )}
          {isInput && <HeldField value={form.getInputProps('heldFor')} />}
        </div>
      )}
    </>
  );
}
