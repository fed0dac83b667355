import type { Passwords } from '../../lib/password.ts';
import type { Secrets } from '../../store/secrets.ts';

/** Stored credentials of a password. */
export interface Credentials {
  /** argon2id over the MD5. */
  readonly passwordHash: string;
  /** Verifies proofs. Sealed, because guessing against it costs less than against the hash. */
  readonly signInKey: string;
}

export function credentialsMaker(passwords: Passwords, secrets: Pick<Secrets, 'seal'>) {
  return async (md5: string): Promise<Credentials> => ({
    passwordHash: await passwords.hashMd5(md5),
    signInKey: secrets.seal(await passwords.signInKey(md5)),
  });
}
