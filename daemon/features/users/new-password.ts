import { commonPasswords } from '../../contract/common-passwords.ts';
import { type PasswordDemand, unmetDemands } from '../../contract/password-demands.ts';
import { asksForMore, type PasswordRule, withLeastLength } from '../../contract/password-rule.ts';
import { fieldError } from '../../lib/hub-error.ts';
import { md5Of } from '../../lib/password.ts';

/** In clear, or as published its MD5. */
export interface NewPassword {
  readonly password?: string | undefined;
  readonly passwd?: string | undefined;
}

interface Asked {
  readonly rule: PasswordRule;
  readonly userName: string;
  readonly allowsMd5: boolean;
}

/** Returns the MD5. Refuses a password that breaks the rule, or that cannot be checked against it. */
export function acceptPassword({ password, passwd }: NewPassword, { rule, userName, allowsMd5 }: Asked): string {
  if (password !== undefined && passwd !== undefined) {
    throw fieldError('passwd', 'exactlyOne', 'send either password or passwd, not both');
  }
  if (password !== undefined) {
    const [unmet] = unmetDemands(password, rule, userName);
    if (unmet !== undefined) throw fieldError('password', 'weak', sentence(unmet, rule));
    return md5Of(password);
  }
  if (passwd === undefined) throw fieldError('password', 'required', 'a password is required');
  if (!allowsMd5 || asksForMore(rule)) {
    const why = allowsMd5 ? 'there is a rule for passwords, and MD5 hides it' : 'this hub takes no MD5 of a password';
    throw fieldError('password', 'sendPassword', `send the password itself: ${why}`);
  }
  if (commonPasswords(userName).some((common) => md5Of(common) === passwd.toLowerCase())) {
    throw fieldError('passwd', 'weak', 'it is the MD5 of a common password');
  }
  return passwd;
}

function sentence(demand: PasswordDemand, rule: PasswordRule): string {
  switch (demand) {
    case 'common':
      return 'it is one of the passwords that are guessed first';
    case 'chk-name':
      return 'it may not have the user name in it';
    case 'length':
      return `it needs at least ${withLeastLength(rule).length} characters`;
    case 'number':
      return `it needs at least ${rule.number} digits`;
    case 'special':
      return `it needs at least ${rule.special} of ~!@#$%^&*_-+=`;
    case 'uppercase':
      return `it needs at least ${rule.uppercase} capital letters`;
    case 'lowercase':
      return `it needs at least ${rule.lowercase} small letters`;
  }
}
