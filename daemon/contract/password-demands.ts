/** Requirements for a new password: the daemon enforces them, the console checks them off as the user types. */
import { isCommonPassword } from './common-passwords.ts';
import { type PasswordRule, withLeastLength } from './password-rule.ts';
import { passwordLength } from './rules.ts';

const demands = ['length', 'chk-name', 'lowercase', 'uppercase', 'number', 'special', 'common'] as const;
export type PasswordDemand = (typeof demands)[number];

const classes = { number: /[0-9]/g, special: /[~!@#$%^&*_\-+=]/g, uppercase: /[A-Z]/g, lowercase: /[a-z]/g } as const;

/** All requirements for a new password. */
export function demandsOf(rule: PasswordRule): PasswordDemand[] {
  const asked = withLeastLength(rule);
  return demands.filter((demand) => demand === 'common' || asked[demand] > 0);
}

/** Returns the requirements that the password does not meet. */
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
