/**
 * "authmod=adobe": user name and password for publishing, as required by Flash Media Server and CDNs compatible with
 * it. The server refuses `connect` twice, first naming the method, then with salt and challenge. Each attempt is a new
 * connection whose application name carries the answer.
 */
import { createHash } from 'node:crypto';
import type { Credentials } from '../net/http-auth.ts';

type AuthDemand =
  | { readonly kind: 'method' }
  | {
      readonly kind: 'challenge';
      readonly salt: string;
      readonly challenge: string;
      /** Undefined if the server sent none; then it is not sent back either. */
      readonly opaque: string | undefined;
    }
  | { readonly kind: 'refused' };

/** Reads the description of a refused `connect`. Returns undefined if it does not ask for this method. */
export function parseAuthDemand(description: string): AuthDemand | undefined {
  if (!/authmod\s*=\s*adobe/i.test(description)) return undefined;
  const query = /\?(\S*reason=\S*)/.exec(description)?.[1];
  if (!query) return { kind: 'method' };
  const fields = new Map(query.split('&').map(splitField));
  const salt = fields.get('salt');
  if (fields.get('reason') !== 'needauth' || salt === undefined) return { kind: 'refused' };
  return { kind: 'challenge', salt, challenge: fields.get('challenge') ?? '', opaque: fields.get('opaque') };
}

/** Returns what is appended to the application name and tcUrl for the second attempt. */
export function methodQuery({ username }: Credentials): string {
  return `?authmod=adobe&user=${username}`;
}

/** Returns what is appended for the third attempt. `clientChallenge`: eight random hex digits. */
export function respondToQuery(
  { username, password }: Credentials,
  { salt, challenge, opaque }: AuthDemand & { readonly kind: 'challenge' },
  clientChallenge: string,
): string {
  const secret = md5Base64(username + salt + password);
  const response = md5Base64(secret + (opaque ?? challenge) + clientChallenge);
  const answer = `${methodQuery({ username, password })}&challenge=${clientChallenge}&response=${response}`;
  return opaque === undefined ? answer : `${answer}&opaque=${opaque}`;
}

/** Only the first '=' separates, because base64 values end with '='. */
function splitField(field: string): [string, string] {
  const at = field.indexOf('=');
  return at < 0 ? [field, ''] : [field.slice(0, at), field.slice(at + 1)];
}

function md5Base64(text: string): string {
  return createHash('md5').update(text).digest('base64');
}
