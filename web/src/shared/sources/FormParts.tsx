/** Fields shared by several kinds of addresses. Each gets its value from the surrounding form. */
import { useLingui } from '@lingui/react/macro';
import { Checkbox, PasswordInput, TextInput } from '@mantine/core';
import type { GetInputPropsReturnType, UseFormReturnType } from '@mantine/form';
import styles from './SourceDialog.module.css';

interface LoginFieldsProps<V> {
  readonly form: UseFormReturnType<V>;
  readonly names: { readonly [part in 'auth' | 'user' | 'password']: keyof V & string };
  /** Whether a password is stored, which is kept if the field is left empty. */
  readonly isKept: boolean;
  readonly label?: string;
}

export function LoginFields<V>({ form, names, isKept, label }: LoginFieldsProps<V>) {
  const { t } = useLingui();
  return (
    <>
      <Checkbox
        label={label ?? t`The server requires a username and password`}
        {...form.getInputProps(names.auth, { type: 'checkbox' })}
      />
      {form.values[names.auth] && (
        <div className={styles.halves}>
          <TextInput label={t`Username`} autoComplete="off" {...form.getInputProps(names.user)} />
          <PasswordInput
            label={t`Password`}
            autoComplete="new-password"
            placeholder={isKept ? t`Unchanged` : ''}
            visibilityToggleButtonProps={{ 'aria-label': t`Show or hide the password` }}
            {...form.getInputProps(names.password)}
          />
        </div>
      )}
    </>
  );
}

/** Buffer duration of an input, to smooth out network jitter. */
export function HeldField({ value }: { readonly value: GetInputPropsReturnType }) {
  const { t } = useLingui();
  return (
    <TextInput
      label={t`Buffer`}
      placeholder={t`None`}
      inputMode="numeric"
      rightSection="ms"
      rightSectionWidth={40}
      {...value}
    />
  );
}

interface SrtLinkFieldsProps {
  readonly isListener: boolean;
  readonly host: GetInputPropsReturnType;
  readonly port: GetInputPropsReturnType;
  readonly latency: GetInputPropsReturnType;
  readonly overhead: GetInputPropsReturnType;
}

export function SrtLinkFields({ isListener, host, port, latency, overhead }: SrtLinkFieldsProps) {
  const { t } = useLingui();
  return (
    <>
      <div className={styles.row}>
        <TextInput
          label={isListener ? t`Local address` : t`Host`}
          placeholder={isListener ? t`All addresses` : ''}
          spellCheck={false}
          {...host}
        />
        <TextInput label={t`Port`} inputMode="numeric" {...port} />
      </div>
      <div className={styles.halves}>
        <TextInput label={t`Latency`} inputMode="numeric" rightSection="ms" rightSectionWidth={40} {...latency} />
        <TextInput
          label={t`Bandwidth overhead`}
          placeholder={t`No limit`}
          inputMode="numeric"
          rightSection="%"
          {...overhead}
        />
      </div>
    </>
  );
}
