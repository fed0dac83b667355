/** What a new password must have: the daemon refuses by it, the console ticks it off while one types. */
import { isCommonPassword } from './common-passwords.ts';
import { type PasswordRule, withLeastLength } from './password-rule.ts';
import { passwordLength } from './rules.ts';

const demands = ['length', 'chk-name', 'lowercase', 'uppercase', 'number', 'special', 'common'] as const;
export type PasswordDemand = (typeof demands)[number];

const classes = { number: /[0-9]/g, special: /[~!@#$%^&*_\-+=]/g, uppercase: /[A-Z]/g, lowercase: /[a-z]/g } as const;

/** Everything that is asked of a new password. */
export function demandsOf(rule: PasswordRule): PasswordDemand[] {
  const asked = withLeastLength(rule);
  return demands.filter((demand) => demand === 'common' || asked[demand] > 0);
}

/** The demands that the password does not meet. */
export function unmetDemands(password: string, rule: PasswordRule, userName: string): PasswordDemand[] {
  const asked = withLeastLength(rule);
  const isMet = (demand: PasswordDemand): boolean => {
    if (demand === 'common') return !isCommonPassword(password, userName);
    if (demand === 'chk-name') return !password.toLowerCase().includes(userName.toLowerCase());
    if (demand === 'length') return passwordLength(password) >= asked.length;
    return (password.match(classes[demand])?.length ?? 0) >= asked[demand];
  };
  return demandsOf(rule).filter((demand) => !isMet(demand));
}
