import { useLingui } from '@lingui/react/macro';
import { PasswordInput, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { HeldField, LoginFields } from './FormParts.tsx';
import styles from './SourceDialog.module.css';
import type { SourceValues } from './source-values.ts';

interface RtmpFieldsProps {
  readonly form: UseFormReturnType<SourceValues>;
  readonly hasPassword: boolean;
  readonly isInput: boolean;
}

export function RtmpFields({ form, hasPassword, isInput }: RtmpFieldsProps) {
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
      {isInput && (
        <div className={styles.halves}>
          <HeldField value={form.getInputProps('heldFor')} />
        </div>
      )}
      <LoginFields
        auth={form.getInputProps('rtmpAuth', { type: 'checkbox' })}
        isAsked={form.values.rtmpAuth}
        user={form.getInputProps('rtmpUser')}
        password={form.getInputProps('rtmpPassword')}
        isKept={hasPassword}
      />
    </>
  );
}
