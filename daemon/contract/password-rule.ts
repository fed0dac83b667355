/** The rule for new passwords. The list of common ones is separate so that the settings page loads without it. */
import * as z from 'zod/mini';
import { limits } from './limits.ts';

const atLeast = z._default(z.int('number').check(z.gte(0, 'range'), z.lte(limits.password.max, 'range')), 0);

/**
 * Members and meanings as published; 0 or absent means no requirement, unknown members are refused. Whatever the rule,
 * a new password has at least `limits.password.min` characters and is not a common one.
 */
export const PasswordRule = z
  .strictObject({
    /** 1: must not contain the user name; not case-sensitive. */
    'chk-name': z._default(z.union([z.literal(0), z.literal(1)]), 0),
    length: atLeast,
    number: atLeast,
    special: atLeast,
    uppercase: atLeast,
    lowercase: atLeast,
  })
  .check(z.refine((rule) => neededCharacters(rule) <= limits.password.max, 'impossible'));
export type PasswordRule = z.infer<typeof PasswordRule>;

/** The default rule of a hub, and the rule for the first password. */
export const firstPasswordRule: PasswordRule = {
  'chk-name': 1,
  length: limits.password.min,
  number: 0,
  special: 0,
  uppercase: 0,
  lowercase: 0,
};

function neededCharacters(rule: Omit<PasswordRule, 'chk-name' | 'length'>): number {
  return rule.number + rule.special + rule.uppercase + rule.lowercase;
}

/** Returns the rule with at least the minimum length of every new password. */
export function withLeastLength(rule: PasswordRule): PasswordRule {
  return { ...rule, length: Math.max(limits.password.min, rule.length) };
}

/** Whether the rule requires more than the minimum. An MD5 cannot be checked against such a rule. */
export function asksForMore(rule: PasswordRule): boolean {
  return rule.length > limits.password.min || neededCharacters(rule) > 0;
}
