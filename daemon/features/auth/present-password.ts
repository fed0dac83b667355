import type { Challenge } from '../../contract/auth.ts';
import { proofMessage } from '../../contract/sign-in-proof.ts';
import { fieldError } from '../../lib/hub-error.ts';
import { md5Of, type Passwords } from '../../lib/password.ts';
import { isProven, readSignInKey, type SignInKey } from '../../lib/sign-in-key.ts';
import type { Secrets } from '../../store/secrets.ts';
import type { StoredUser } from '../users/service.ts';
import { type Challenged, createChallenges } from './challenges.ts';

/** The current password: in clear, as hexadecimal MD5, or as a proof that answers a challenge. */
export interface GivenPassword {
  readonly password?: string | undefined;
  readonly pass?: string | undefined;
  /** Nonce of the challenge. */
  readonly challenge?: string | undefined;
  readonly proof?: string | undefined;
}

/** The value that is checked against the stored credentials. */
export type Evidence =
  | { readonly md5: string }
  | { readonly name: string; readonly challenge: Challenge; readonly proof: string };

interface Options {
  readonly passwords: Passwords;
  readonly secrets: Secrets;
  readonly findByName: (name: string) => StoredUser | undefined;
  readonly allowsMd5: () => boolean;
  readonly now: () => number;
}

export function createPresentPasswords(options: Options) {
  const { passwords, secrets, findByName, allowsMd5, now } = options;
  const challenges = createChallenges(now);
  const decoyOf = (name: string) => passwords.decoyKey(secrets.derive(`salt of ${name}`));
  const keyOf = ({ signInKey }: StoredUser): SignInKey | undefined => {
    if (signInKey === null) return undefined;
    try {
      return readSignInKey(secrets.open(signInKey));
    } catch {
      // The database was restored without its key file.
      return undefined;
    }
  };
  return {
    /** Returns undefined for a user without a key, who must send the password once. Unknown names get a challenge. */
    challenge(to: Challenged): Challenge | undefined {
      const user = findByName(to.name);
      const key = user === undefined ? decoyOf(to.name) : keyOf(user);
      return key && challenges.give(to, key);
    },
    /** Returns undefined if nothing was given. Throws for an MD5 that is not accepted and for an expired challenge. */
    read({ password, pass, challenge, proof }: GivenPassword, by: Challenged, md5Path: string): Evidence | undefined {
      if (password !== undefined) return { md5: md5Of(password) };
      if (pass !== undefined) {
        if (allowsMd5()) return { md5: pass };
        throw fieldError(md5Path, 'sendPassword', 'this hub does not accept the MD5 of a password; send the password');
      }
      if (challenge === undefined) return undefined;
      if (proof === undefined) throw fieldError('proof', 'required', 'a challenge requires the proof');
      const given = challenges.take(challenge, by);
      if (given !== undefined) return { name: by.name, challenge: given, proof };
      throw fieldError('challenge', 'expired', 'unknown, expired or already used; request another one');
    },
    /** Does the same work for an unknown user as for a wrong password. */
    isRight(user: StoredUser | undefined, evidence: Evidence): Promise<boolean> {
      if ('md5' in evidence) return passwords.verifyMd5(evidence.md5, user?.passwordHash ?? null);
      const { name, challenge, proof } = evidence;
      const key = user && keyOf(user);
      const fits = isProven(key ?? decoyOf(name), proofMessage(name, challenge), proof);
      return Promise.resolve(fits && key !== undefined);
    },
    /** Returns a sealed key for a user without one whose password was correct; undefined if none is needed. */
    async newKey(user: StoredUser, evidence: Evidence): Promise<string | undefined> {
      if (!('md5' in evidence) || keyOf(user) !== undefined) return undefined;
      return secrets.seal(await passwords.signInKey(evidence.md5));
    },
  };
}
