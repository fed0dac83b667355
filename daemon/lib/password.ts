import { createSemaphore } from './semaphore.ts';
import { decoySignInKey, makeSignInKey, type SignInKey } from './sign-in-key.ts';

/**
 * Passwords are stored as argon2id over the lower-case MD5 form, because clients may send either the clear password or,
 * as the published call does, its MD5.
 */
export interface Passwords {
  hashMd5(md5: string): Promise<string>;
  /** Returns the key that verifies proofs of the password, as text. */
  signInKey(md5: string): Promise<string>;
  /** For a name that is not a user. The salt is the same for the same seed. */
  decoyKey(seed: Buffer): SignInKey;
  /** Takes as long for null (unknown user) as for a wrong password. */
  verifyMd5(md5: string, hash: string | null): Promise<boolean>;
}

export interface PasswordCost {
  /** KiB. */
  readonly memoryCost: number;
  readonly timeCost: number;
  /** PBKDF2 rounds of a proof. The browser computes them as well. */
  readonly iterations: number;
}

/** OWASP's smaller parameters: 19 MiB per attempt limits the hub's memory while several users sign in. */
export const passwordCost: PasswordCost = { memoryCost: 19_456, timeCost: 2, iterations: 200_000 };

/** Number of attempts that use memory at the same time, whatever the number of cores. */
const turns = { atOnce: 2, longestLine: 512 };

export function createPasswords({ iterations, ...cost }: PasswordCost): Passwords {
  const inTurn = createSemaphore(turns);
  const hash = (text: string) => Bun.password.hash(text, { algorithm: 'argon2id', ...cost });
  let decoy: Promise<string> | undefined;
  return {
    hashMd5: (md5) => inTurn(() => hash(md5.toLowerCase())),
    signInKey: (md5) => inTurn(() => makeSignInKey(md5, iterations)),
    decoyKey: (seed) => decoySignInKey(seed, iterations),
    async verifyMd5(md5, stored) {
      decoy ??= hash(crypto.randomUUID());
      const against = stored ?? (await decoy);
      const matches = await inTurn(() => Bun.password.verify(md5.toLowerCase(), against, 'argon2id'));
      return matches && stored !== null;
    },
  };
}

/** MD5 of the composed form (NFC): different keyboards may encode the same password differently. */
export function md5Of(password: string): string {
  return new Bun.CryptoHasher('md5').update(password.normalize('NFC')).digest('hex');
}
