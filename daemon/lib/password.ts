import { createTurnstile } from './turnstile.ts';

/**
 * Passwords are kept as argon2id over the lower-case MD5 form, because clients may send either the clear password or,
 * as the published call does, its MD5.
 */
export interface Passwords {
  hashMd5(md5: string): Promise<string>;
  /** Takes as long for null (nobody of that name) as for a wrong password. */
  verifyMd5(md5: string, hash: string | null): Promise<boolean>;
}

export interface PasswordCost {
  /** KiB. */
  readonly memoryCost: number;
  readonly timeCost: number;
}

/** OWASP's smaller pair: 19 MiB per attempt keeps the hub's memory bounded while several people sign in. */
export const passwordCost: PasswordCost = { memoryCost: 19_456, timeCost: 2 };

/** So many attempts hold their memory at a time, whatever the number of cores. */
const turns = { atOnce: 2, longestLine: 512 };

export function createPasswords(cost: PasswordCost): Passwords {
  const inTurn = createTurnstile(turns);
  const hash = (text: string) => Bun.password.hash(text, { algorithm: 'argon2id', ...cost });
  let decoy: Promise<string> | undefined;
  return {
    hashMd5: (md5) => inTurn(() => hash(md5.toLowerCase())),
    async verifyMd5(md5, stored) {
      decoy ??= hash(crypto.randomUUID());
      const against = stored ?? (await decoy);
      const matches = await inTurn(() => Bun.password.verify(md5.toLowerCase(), against, 'argon2id'));
      return matches && stored !== null;
    },
  };
}

/** Of the composed form (NFC): the same password has other bytes from another keyboard. */
export function md5Of(password: string): string {
  return new Bun.CryptoHasher('md5').update(password.normalize('NFC')).digest('hex');
}
