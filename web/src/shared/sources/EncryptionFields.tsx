import { useLingui } from '@lingui/react/macro';
import { NativeSelect, PasswordInput } from '@mantine/core';
import type { GetInputPropsReturnType } from '@mantine/form';
import { limits } from '../../../../daemon/contract/limits.ts';
import styles from './SourceDialog.module.css';

interface EncryptionFieldsProps {
  readonly keyLength: GetInputPropsReturnType;
  readonly isOn: boolean;
  readonly passphrase: GetInputPropsReturnType;
  /** Whether a passphrase is stored, which is kept if the field is left empty. */
  readonly isKept: boolean;
}

export function EncryptionFields({ keyLength, isOn, passphrase, isKept }: EncryptionFieldsProps) {
  const { t } = useLingui();
  const { min, max } = limits.passphrase;
  return (
    <div className={styles.halves}>
      <NativeSelect
        label={t`Encryption`}
        data={[
          { value: '0', label: t`Disabled` },
          { value: '16', label: 'AES-128' },
          { value: '24', label: 'AES-192' },
          { value: '32', label: 'AES-256' },
        ]}
        {...keyLength}
      />
      {isOn && (
        <PasswordInput
          label={t`Passphrase`}
          autoComplete="new-password"
          placeholder={isKept ? t`Unchanged` : t`${min} to ${max} characters`}
          visibilityToggleButtonProps={{ 'aria-label': t`Show or hide the passphrase` }}
          {...passphrase}
        />
      )}
    </div>
  );
}
