import { useQuery } from '@tanstack/react-query';
import { firstPasswordRule, type PasswordRule } from '../../../../daemon/contract/password-rule.ts';
import { systemStatusQuery } from '../system/system-query.ts';

/** The hub's rule for new passwords. The hub enforces it even if this page has not loaded it yet. */
export function usePasswordRule(): PasswordRule {
  return useQuery(systemStatusQuery).data?.['pwd-rule'] ?? firstPasswordRule;
}
