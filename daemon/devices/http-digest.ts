/** The login with which cameras protect their pictures: HTTP Digest, RFC 7616. */
import { createHash, randomBytes } from 'node:crypto';
import type { Credentials } from './driver.ts';

const algorithms = { MD5: 'md5', 'SHA-256': 'sha256' } as const;

/**
 * Returns the header `Authorization` for a GET request, or undefined if the header `WWW-Authenticate` offers no Digest:
 * with Basic, the password would be sent in the clear.
 */
export function digestHeader(challenge: string, path: string, { user, password }: Credentials): string | undefined {
  for (const offer of challenge
    .slice(0, 4096)
    .split(/\bDigest /i)
    .slice(1)) {
    const fields = new Map<string, string>();
    for (const [, name = '', quoted, plain] of offer.matchAll(/(\w+)=(?:"([^"]*)"|([^\s,"]+))/g)) {
      if (!fields.has(name.toLowerCase())) fields.set(name.toLowerCase(), quoted ?? plain ?? '');
    }
    const algorithm = (fields.get('algorithm') ?? 'MD5').toUpperCase();
    const [realm, nonce] = [fields.get('realm') ?? '', fields.get('nonce')];
    if (nonce === undefined || !(algorithm in algorithms)) continue;
    const hash = (text: string) =>
      createHash(algorithms[algorithm as keyof typeof algorithms])
        .update(text)
        .digest('hex');
    const [own, request] = [hash(`${user}:${realm}:${password}`), hash(`GET:${path}`)];
    const isAuth =
      fields
        .get('qop')
        ?.split(/\s*,\s*/)
        .includes('auth') ?? false;
    const cnonce = randomBytes(8).toString('hex');
    const response = hash(`${own}:${nonce}:${isAuth ? `00000001:${cnonce}:auth:` : ''}${request}`);
    const opaque = fields.get('opaque');
    return `Digest ${[
      ...[`username="${user.replaceAll(/["\\]/g, '\\$&')}"`, `realm="${realm}"`, `nonce="${nonce}"`, `uri="${path}"`],
      ...(fields.has('algorithm') ? [`algorithm=${algorithm}`] : []),
      ...(isAuth ? ['qop=auth', 'nc=00000001', `cnonce="${cnonce}"`] : []),
      ...(opaque === undefined ? [] : [`opaque="${opaque}"`]),
      `response="${response}"`,
    ].join(', ')}`;
  }
  return undefined;
}
