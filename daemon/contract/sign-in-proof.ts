/**
 * Sign-in of the console over plain HTTP without sending the password or an equivalent: the client's half of
 * SCRAM-SHA-256 (RFC 5802, RFC 7677). Its input is the MD5 of the password, as published clients may set a password by
 * its MD5. The server's half would prove nothing: an impostor of the hub would also serve the page that verifies it.
 */
import type { Challenge } from './auth.ts';

/** The `AuthMessage` of RFC 5802. User names contain no comma. */
export function proofMessage(name: string, { nonce, salt, iterations }: Challenge): string {
  return [name, nonce, salt, iterations].join(',');
}

/** Input of the HMAC that derives the client key. */
export const clientKeyText = 'Client Key';
