import { demands, type PasswordDemand, type PasswordRule, unmetDemands } from '../../contract/password-rule.ts';
import { fieldError } from '../../lib/hub-error.ts';
import { md5Of } from '../../lib/password.ts';

/** Clear, or as published the MD5 of it. */
export interface NewPassword {
  readonly password?: string | undefined;
  readonly passwd?: string | undefined;
}

/** Its MD5. What can't be held against the rule is refused like what breaks it. */
export function acceptPassword({ password, passwd }: NewPassword, rule: PasswordRule, userName: string): string {
  if (password !== undefined && passwd !== undefined) {
    throw fieldError('passwd', 'exactlyOne', 'give password or passwd, not both');
  }
  if (password !== undefined) {
    const [unmet] = unmetDemands(password, rule, userName);
    if (unmet !== undefined) throw fieldError('password', 'weak', sentence(unmet, rule));
    return md5Of(password);
  }
  if (passwd === undefined) throw fieldError('password', 'required', 'give a password');
  if (demands(rule)) {
    throw fieldError(
      'password',
      'sendPassword',
      'send the password itself: there is a rule for passwords, and MD5 hides it',
    );
  }
  return passwd;
}

function sentence(demand: PasswordDemand, rule: PasswordRule): string {
  const least = rule[demand];
  switch (demand) {
    case 'chk-name':
      return 'it may not have the user name in it';
    case 'length':
      return `it needs at least ${least} characters`;
    case 'number':
      return `it needs at least ${least} digits`;
    case 'special':
      return `it needs at least ${least} of ~!@#$%^&*_-+=`;
    case 'uppercase':
      return `it needs at least ${least} capital letters`;
    case 'lowercase':
      return `it needs at least ${least} small letters`;
  }
}
