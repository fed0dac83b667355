/**
 * "authmod=adobe": user and password for publishing, as Flash Media Server and the CDNs that follow it ask for them.
 * The server refuses `connect` twice, first naming the method, then with salt and challenge; each try is a new
 * connection whose application name carries the answer.
 */
import { createHash } from 'node:crypto';

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

export type AuthDemand =
  | { readonly kind: 'method' }
  | {
      readonly kind: 'challenge';
      readonly salt: string;
      readonly challenge: string;
      /** Undefined when the server sent none; then it is not sent back either. */
      readonly opaque: string | undefined;
    }
  | { readonly kind: 'refused' };

/** Reads the description of a refused `connect`; undefined when it does not ask for this method. */
export function parseAuthDemand(description: string): AuthDemand | undefined {
  if (!/authmod\s*=\s*adobe/i.test(description)) return undefined;
  const query = /\?(\S*reason=\S*)/.exec(description)?.[1];
  if (!query) return { kind: 'method' };
  const fields = new Map(query.split('&').map(splitField));
  const salt = fields.get('salt');
  if (fields.get('reason') !== 'needauth' || salt === undefined) return { kind: 'refused' };
  return { kind: 'challenge', salt, challenge: fields.get('challenge') ?? '', opaque: fields.get('opaque') };
}

/** What is appended to application name and tcUrl for the second try. */
export function methodQuery({ username }: Credentials): string {
  return `?authmod=adobe&user=${username}`;
}

/** What is appended for the third. `clientChallenge`: eight random hex digits. */
export function answerQuery(
  { username, password }: Credentials,
  { salt, challenge, opaque }: AuthDemand & { readonly kind: 'challenge' },
  clientChallenge: string,
): string {
  const secret = md5Base64(username + salt + password);
  const response = md5Base64(secret + (opaque ?? challenge) + clientChallenge);
  const answer = `${methodQuery({ username, password })}&challenge=${clientChallenge}&response=${response}`;
  return opaque === undefined ? answer : `${answer}&opaque=${opaque}`;
}

/** Only the first '=' separates: base64 values end with some. */
function splitField(field: string): [string, string] {
  const at = field.indexOf('=');
  return at < 0 ? [field, ''] : [field.slice(0, at), field.slice(at + 1)];
}

function md5Base64(text: string): string {
  return createHash('md5').update(text).digest('base64');
}
