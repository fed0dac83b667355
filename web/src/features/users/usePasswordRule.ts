import { useQuery } from '@tanstack/react-query';
import { firstPasswordRule, type PasswordRule } from '../../../../daemon/contract/password-rule.ts';
import { systemStatusQuery } from '../dashboard/system-query.ts';

/** What the hub asks of new passwords. It refuses by the same rule, should this page not know it yet. */
export function usePasswordRule(): PasswordRule {
  return useQuery(systemStatusQuery).data?.['pwd-rule'] ?? firstPasswordRule;
}
