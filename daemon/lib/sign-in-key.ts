/** The key that verifies proofs of a password (contract/sign-in-proof.ts): the `StoredKey` of RFC 5802. */
import { createHash, createHmac, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { clientKeyText } from '../contract/sign-in-proof.ts';

export interface SignInKey {
  readonly iterations: number;
  /** Hexadecimal digits. */
  readonly salt: string;
  readonly storedKey: Buffer;
}

const saltBytes = 16;
const keyBytes = 32;
const stretch = promisify(pbkdf2);

/** Returns the key as text, for the database. */
export async function makeSignInKey(md5: string, iterations: number): Promise<string> {
  const salt = randomBytes(saltBytes);
  const salted = await stretch(md5.toLowerCase(), salt, iterations, keyBytes, 'sha256');
  const clientKey = createHmac('sha256', salted).update(clientKeyText).digest();
  return [iterations, salt.toString('hex'), sha256(clientKey).toString('hex')].join(':');
}

export function readSignInKey(text: string): SignInKey {
  const [iterations = '', salt = '', storedKey = ''] = text.split(':');
  return { iterations: Number(iterations), salt, storedKey: Buffer.from(storedKey, 'hex') };
}

/** A key that no proof matches. The salt is the same for the same seed. */
export function decoySignInKey(seed: Buffer, iterations: number): SignInKey {
  return { iterations, salt: seed.subarray(0, saltBytes).toString('hex'), storedKey: randomBytes(keyBytes) };
}

/** `proof` is in hexadecimal digits. */
export function isProven({ storedKey }: SignInKey, message: string, proof: string): boolean {
  const signature = createHmac('sha256', storedKey).update(message).digest();
  const clientKey = Buffer.from(proof, 'hex').map((byte, i) => byte ^ (signature[i] ?? 0));
  return timingSafeEqual(sha256(clientKey), storedKey);
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}
