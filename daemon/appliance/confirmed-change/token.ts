/** The token of a change that waits to be confirmed. The journal has its hash only. */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** 256 bits. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

export function hashOfToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Returns the answer that proves to the sender of a challenge, who has the token, that this side knows its hash. */
export function answerTo(tokenHash: string, challenge: string): string {
  return createHmac('sha256', tokenHash).update(challenge).digest('hex');
}

export function isSameHash(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
