import { randomInt, timingSafeEqual } from 'node:crypto';

/**
 * What the first password of Admin takes from another machine. The hub makes a code at each start and logs it while
 * Admin has no password. Without the code, the first peer to reach the port would own the hub.
 */
export interface SetupCode {
  /** As it is logged: two groups of five characters. */
  readonly text: string;
  /** Case, spaces and hyphens do not matter. */
  matches(given: string): boolean;
}

/** Letters and digits that are not mistaken for one another: without 0 and O, 1, I and L, 5 and S, 8 and B. */
const alphabet = '234679ACDEFGHJKMNPQRTUVWXYZ';
const groupLength = 5;

export function createSetupCode(): SetupCode {
  const group = () => Array.from({ length: groupLength }, () => alphabet[randomInt(alphabet.length)]).join('');
  const code = Buffer.from(group() + group());
  return {
    text: `${code.subarray(0, groupLength)}-${code.subarray(groupLength)}`,
    matches(given) {
      const plain = Buffer.from(given.toUpperCase().replace(/[\s-]/g, ''));
      return plain.length === code.length && timingSafeEqual(plain, code);
    },
  };
}
