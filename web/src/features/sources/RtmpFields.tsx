import { useLingui } from '@lingui/react/macro';
import { PasswordInput, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { LoginFields } from './FormParts.tsx';
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
