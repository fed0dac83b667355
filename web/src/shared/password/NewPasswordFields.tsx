import { useLingui } from '@lingui/react/macro';
import { PasswordInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { limits } from '../../../../daemon/contract/limits.ts';
import { firstPasswordRule, type PasswordRule } from '../../../../daemon/contract/password-rule.ts';
import { systemStatusQuery } from '../system/system-query.ts';
import { PasswordDemands } from './PasswordDemands.tsx';
import type { NewPasswordValues } from './password-faults.ts';

/** The hub's rule for new passwords. The hub enforces it even if this page has not loaded it yet. */
export function usePasswordRule(): PasswordRule {
  return useQuery(systemStatusQuery).data?.['pwd-rule'] ?? firstPasswordRule;
}

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
