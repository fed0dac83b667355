import { hmac } from '@noble/hashes/hmac.js';
import { md5 } from '@noble/hashes/legacy.js';
import { pbkdf2Async } from '@noble/hashes/pbkdf2.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Challenge } from '../../../../daemon/contract/auth.ts';
import { clientKeyText, proofMessage } from '../../../../daemon/contract/sign-in-proof.ts';

/**
 * Proves a password (contract/sign-in-proof.ts). Plain JavaScript, because browsers do not offer Web Crypto to pages
 * loaded over plain HTTP.
 */
export async function proofOf(name: string, password: string, challenge: Challenge): Promise<string> {
  const digits = bytesToHex(md5(utf8ToBytes(password.normalize('NFC'))));
  const salt = hexToBytes(challenge.salt);
  const salted = await pbkdf2Async(sha256, utf8ToBytes(digits), salt, { c: challenge.iterations, dkLen: 32 });
  const clientKey = hmac(sha256, salted, utf8ToBytes(clientKeyText));
  const signature = hmac(sha256, sha256(clientKey), utf8ToBytes(proofMessage(name, challenge)));
  return bytesToHex(clientKey.map((byte, i) => byte ^ (signature[i] ?? 0)));
}
