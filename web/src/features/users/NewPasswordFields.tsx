import { useLingui } from '@lingui/react/macro';
import { PasswordInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { limits } from '../../../../daemon/contract/limits.ts';
import { type PasswordRule, unmetDemands } from '../../../../daemon/contract/password-rule.ts';
import { Password } from '../../../../daemon/contract/rules.ts';
import { type FieldFaults, faultsOf } from '../../lib/schema-form.ts';
import { PasswordDemands } from './PasswordDemands.tsx';

export interface NewPasswordValues {
  readonly password: string;
  readonly repeated: string;
}

export function passwordFaults(
  { password, repeated }: NewPasswordValues,
  rule: PasswordRule,
  userName: string,
): FieldFaults {
  const { '': broken } = faultsOf(Password, password);
  const [unmet] = unmetDemands(password, rule, userName);
  const fault = broken ?? (unmet && 'weak');
  if (fault !== undefined) return { password: fault };
  return password === repeated ? {} : { repeated: 'differ' };
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
