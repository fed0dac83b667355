/** What passwords of a hub must have; the daemon refuses by it, the console ticks it off while one types. */
import * as z from 'zod/mini';
import { limits } from './limits.ts';

const atLeast = z._default(z.int('number').check(z.gte(0, 'range'), z.lte(limits.password.max, 'range')), 0);

/** Members and meanings as published; 0 or left out asks for nothing, a member that isn't known is refused. */
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

export const noPasswordRule: PasswordRule = {
  'chk-name': 0,
  length: 0,
  number: 0,
  special: 0,
  uppercase: 0,
  lowercase: 0,
};

export type PasswordDemand = keyof PasswordRule;

const classes = { number: /[0-9]/g, special: /[~!@#$%^&*_\-+=]/g, uppercase: /[A-Z]/g, lowercase: /[a-z]/g } as const;

function neededCharacters(rule: Pick<PasswordRule, keyof typeof classes>): number {
  return rule.number + rule.special + rule.uppercase + rule.lowercase;
}

/** Whether anything at all is asked for. */
export function demands(rule: PasswordRule): boolean {
  return Object.values(rule).some((least) => least > 0);
}

/** What of the rule the password breaks, in the order of the rule. */
export function unmetDemands(password: string, rule: PasswordRule, userName: string): PasswordDemand[] {
  const isMet = (demand: PasswordDemand): boolean => {
    const least = rule[demand];
    if (least === 0) return true;
    if (demand === 'chk-name') return !password.toLowerCase().includes(userName.toLowerCase());
    if (demand === 'length') return password.length >= least;
    return (password.match(classes[demand])?.length ?? 0) >= least;
  };
  return (Object.keys(noPasswordRule) as PasswordDemand[]).filter((demand) => !isMet(demand));
}
