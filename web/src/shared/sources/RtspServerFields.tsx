import { useLingui } from '@lingui/react/macro';
import { Checkbox, PasswordInput, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import styles from './SourceDialog.module.css';
import type { SourceValues } from './source-values.ts';

interface RtspServerFieldsProps {
  readonly form: UseFormReturnType<SourceValues>;
  readonly hasPassword: boolean;
}

/** An output from which players pull over RTSP. */
export function RtspServerFields({ form, hasPassword }: RtspServerFieldsProps) {
  const { t } = useLingui();
  return (
    <>
      <div className={styles.row}>
        <TextInput
          label={t`Path`}
          description={t`Outputs may share a port when their paths differ.`}
          placeholder="stage"
          spellCheck={false}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          {...form.getInputProps('servedKey')}
        />
        <TextInput label={t`Port`} inputMode="numeric" {...form.getInputProps('servedPort')} />
      </div>
      <div className={styles.halves}>
        <TextInput
          label={t`Maximum number of players`}
          inputMode="numeric"
          {...form.getInputProps('servedMaxClients')}
        />
      </div>
      <Checkbox
        label={t`Players need a user name and password`}
        {...form.getInputProps('servedAuth', { type: 'checkbox' })}
      />
      {form.values.servedAuth && (
        <div className={styles.halves}>
          <TextInput label={t`User name`} autoComplete="off" {...form.getInputProps('servedUser')} />
          <PasswordInput
            label={t`Password`}
            autoComplete="new-password"
            placeholder={hasPassword ? t`Unchanged` : ''}
            visibilityToggleButtonProps={{ 'aria-label': t`Show or hide the password` }}
            {...form.getInputProps('servedPassword')}
          />
        </div>
      )}
    </>
  );
}
