import { useLingui } from '@lingui/react/macro';
import { Checkbox, PasswordInput, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import styles from './SourceDialog.module.css';
import type { SourceValues } from './source-form.ts';

interface RtmpFieldsProps {
  readonly form: UseFormReturnType<SourceValues>;
  readonly hasPassword: boolean;
}

export function RtmpFields({ form, hasPassword }: RtmpFieldsProps) {
  const { t } = useLingui();
  return (
    <>
      <TextInput
        label={t`Server`}
        placeholder="rtmp://live.example.com/app"
        spellCheck={false}
        {...form.getInputProps('rtmpUrl')}
      />
      <PasswordInput
        label={t`Stream key`}
        autoComplete="off"
        visibilityToggleButtonProps={{ 'aria-label': t`Show or hide the stream key` }}
        {...form.getInputProps('rtmpKey')}
      />
      <Checkbox
        label={t`The server asks for a user name and password`}
        {...form.getInputProps('rtmpAuth', { type: 'checkbox' })}
      />
      {form.values.rtmpAuth && (
        <div className={styles.halves}>
          <TextInput label={t`User name`} autoComplete="off" {...form.getInputProps('rtmpUser')} />
          <PasswordInput
            label={t`Password`}
            autoComplete="new-password"
            placeholder={hasPassword ? t`Unchanged` : ''}
            visibilityToggleButtonProps={{ 'aria-label': t`Show or hide the password` }}
            {...form.getInputProps('rtmpPassword')}
          />
        </div>
      )}
    </>
  );
}
