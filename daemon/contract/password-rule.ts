/** What passwords of a hub must have; the daemon refuses by it, the console ticks it off while one types. */
import * as z from 'zod/mini';
import { isCommonPassword } from './common-passwords.ts';
import { limits } from './limits.ts';
import { passwordLength } from './rules.ts';

const atLeast = z._default(z.int('number').check(z.gte(0, 'range'), z.lte(limits.password.max, 'range')), 0);

/**
 * Members and meanings as published; 0 or left out asks for nothing, a member that isn't known is refused. Whatever the
 * rule, a new password has at least `limits.password.min` characters and is not a common one.
 */
export const PasswordRule = z
  .strictObject({
    /** 1: without the user name in it, in whatever case. */
    'chk-name': z._default(z.union([z.literal(0), z.literal(1)]), 0),
    length: atLeast,
    number: atLeast,
    special: atLeast,
    uppercase: atLeast,
    lowercase: atLeast,
  })
  .check(z.refine((rule) => neededCharacters(rule) <= limits.password.max, 'impossible'));
export type PasswordRule = z.infer<typeof PasswordRule>;

/** The rule of a hub until it is changed, and that of the first password. */
export const firstPasswordRule: PasswordRule = {
  'chk-name': 1,
  length: limits.password.min,
  number: 0,
  special: 0,
  uppercase: 0,
  lowercase: 0,
};

const demands = ['length', 'chk-name', 'lowercase', 'uppercase', 'number', 'special', 'common'] as const;
export type PasswordDemand = (typeof demands)[number];

const classes = { number: /[0-9]/g, special: /[~!@#$%^&*_\-+=]/g, uppercase: /[A-Z]/g, lowercase: /[a-z]/g } as const;

function neededCharacters(rule: Pick<PasswordRule, keyof typeof classes>): number {
  return rule.number + rule.special + rule.uppercase + rule.lowercase;
}

/** The rule with the length that every new password needs. */
export function withLeastLength(rule: PasswordRule): PasswordRule {
  return { ...rule, length: Math.max(limits.password.min, rule.length) };
}

/** Whether the rule asks for more than the minimum. An MD5 cannot be checked against that. */
export function asksForMore(rule: PasswordRule): boolean {
  return rule.length > limits.password.min || neededCharacters(rule) > 0;
}

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
