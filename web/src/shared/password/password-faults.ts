import { unmetDemands } from '../../../../daemon/contract/password-demands.ts';
import type { PasswordRule } from '../../../../daemon/contract/password-rule.ts';
import { Password } from '../../../../daemon/contract/rules.ts';
import { type FieldFaults, faultsOf } from '../../ui/form/schema-form.ts';

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
