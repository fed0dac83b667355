import { useLingui } from '@lingui/react/macro';
import { PasswordInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { limits } from '../../../../daemon/contract/limits.ts';
import type { PasswordRule } from '../../../../daemon/contract/password-rule.ts';
import { PasswordDemands } from './PasswordDemands.tsx';
import type { NewPasswordValues } from './password-faults.ts';

interface NewPasswordFieldsProps<V extends NewPasswordValues> {
  readonly form: UseFormReturnType<V>;
  readonly rule: PasswordRule;
  readonly userName: string;
}

export function NewPasswordFields<V extends NewPasswordValues>({ form, rule, userName }: NewPasswordFieldsProps<V>) {
  const { t } = useLingui();
  return (
    <>
      <PasswordInput
        label={t`New password`}
        autoComplete="new-password"
        maxLength={limits.password.max}
        visibilityToggleButtonProps={{ 'aria-label': t`Show or hide the password` }}
        {...form.getInputProps('password')}
      />
      <PasswordDemands password={form.values.password} rule={rule} userName={userName} />
      <PasswordInput
        label={t`Repeat the password`}
        autoComplete="new-password"
        maxLength={limits.password.max}
        visibilityToggleButtonProps={{ 'aria-label': t`Show or hide the repeated password` }}
        {...form.getInputProps('repeated')}
      />
    </>
  );
}
