/** The token of a change that waits to be confirmed. The journal has its hash only. */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** 256 bits. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

export function hashOfToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/**
 * Returns the answer that proves to the sender of a challenge, who has the token, that this side knows its hash and has
 * the address: a machine at another address that passes on the challenge gets an answer for the wrong address.
 */
export function answerTo(tokenHash: string, challenge: string, address: string): string {
  return createHmac('sha256', tokenHash).update(`${challenge} ${address}`).digest('hex');
}

export function isSameHash(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
