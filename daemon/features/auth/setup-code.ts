import { randomInt, timingSafeEqual } from 'node:crypto';

/** Letters and digits that are not confused with each other: without 0 and O, 1, I and L, 5 and S, 8 and B. */
const alphabet = '234679ACDEFGHJKMNPQRTUVWXYZ';
const groupLength = 5;

/**
 * The code required to set the first password of Admin from another machine. The hub generates one at each start and
 * logs it while Admin has no password. Without it, the first peer to reach the port would own the hub.
 */
export type SetupCode = ReturnType<typeof createSetupCode>;

/** `given`: a code in the form that is logged, which a user got before a reset. */
export function createSetupCode(given?: string) {
  const group = () => Array.from({ length: groupLength }, () => alphabet[randomInt(alphabet.length)]).join('');
  const code = Buffer.from(given?.replaceAll('-', '') ?? group() + group());
  return {
    /** In the form that is logged: two groups of five characters. */
    text: `${code.subarray(0, groupLength)}-${code.subarray(groupLength)}`,
    /** Ignores case, spaces and hyphens. */
    matches(given: string): boolean {
      const plain = Buffer.from(given.toUpperCase().replace(/[\s-]/g, ''));
      return plain.length === code.length && timingSafeEqual(plain, code);
    },
  };
}
