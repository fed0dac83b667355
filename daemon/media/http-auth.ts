/** Signing in to HTTP and RTSP servers: Basic (RFC 7617) and Digest (RFC 7616, and RFC 2069 as cameras speak it). */
import { createHash, randomBytes } from 'node:crypto';

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

interface Challenge {
  readonly scheme: string;
  readonly fields: ReadonlyMap<string, string>;
}

const hashes: Readonly<Record<string, string>> = { '': 'md5', MD5: 'md5', 'SHA-256': 'sha256' };
/** What strangers send is parsed here. */
const maxHeaderLength = 4096;

/** Remembers what a server asked for, and answers that with every request from then on. */
export class Authorizer {
  private readonly credentials: Credentials;
  private readonly newNonce: () => string;
  private challenge: Challenge | undefined;
  private uses = 0;

  constructor(credentials: Credentials, newNonce = () => randomBytes(8).toString('hex')) {
    this.credentials = credentials;
    this.newNonce = newNonce;
  }

  /** Takes the `WWW-Authenticate` of a refusal. False when there is nothing to answer, or this was the answer. */
  learn(header: string): boolean {
    if (!this.credentials.username) return false;
    const challenges = parseChallenges(header.slice(0, maxHeaderLength));
    const usable = (one: Challenge) => one.scheme === 'digest' && hashOf(one) !== undefined;
    const next = challenges.find(usable) ?? challenges.find(({ scheme }) => scheme === 'basic');
    const isRefused = this.challenge !== undefined && next?.fields.get('stale')?.toLowerCase() !== 'true';
    if (!next || isRefused) return false;
    this.challenge = next;
    this.uses = 0;
    return true;
  }

  /** The `Authorization` of a request; undefined while nobody asked. */
  header(method: string, uri: string): string | undefined {
    if (!this.challenge) return undefined;
    const { username, password } = this.credentials;
    if (this.challenge.scheme === 'basic') {
      return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    }
    return this.digest(this.challenge, method, uri);
  }

  private digest(challenge: Challenge, method: string, uri: string): string {
    const { username, password } = this.credentials;
    const field = (name: string) => challenge.fields.get(name);
    const hash = (text: string) =>
      createHash(hashOf(challenge) ?? 'md5')
        .update(text)
        .digest('hex');
    const [realm, nonce] = [field('realm') ?? '', field('nonce') ?? ''];
    const secret = hash(`${username}:${realm}:${password}`);
    const request = hash(`${method}:${uri}`);
    const hasQop = (field('qop') ?? '').split(',').some((one) => one.trim() === 'auth');
    const count = (++this.uses).toString(16).padStart(8, '0');
    const clientNonce = this.newNonce();
    const response = hasQop
      ? hash(`${secret}:${nonce}:${count}:${clientNonce}:auth:${request}`)
      : hash(`${secret}:${nonce}:${request}`);
    const quoted = { username, realm, nonce, uri, response, ...(hasQop && { cnonce: clientNonce }) };
    const plain = {
      ...(field('algorithm') && { algorithm: field('algorithm') }),
      ...(hasQop && { qop: 'auth', nc: count }),
    };
    const opaque = field('opaque');
    const parts = [
      ...Object.entries({ ...quoted, ...(opaque !== undefined && { opaque }) }).map(([k, v]) => `${k}=${quote(v)}`),
      ...Object.entries(plain).map(([k, v]) => `${k}=${v}`),
    ];
    return `Digest ${parts.join(', ')}`;
  }
}

function hashOf({ fields }: Challenge): string | undefined {
  return hashes[(fields.get('algorithm') ?? '').toUpperCase()];
}

function quote(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

/** Several challenges may share one header: a scheme is a word that no '=' follows. */
function parseChallenges(header: string): Challenge[] {
  const found: { scheme: string; fields: Map<string, string> }[] = [];
  const token = /([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*))|([A-Za-z][\w-]*)/g;
  for (const [, name, quoted, plain, scheme] of header.matchAll(token)) {
    if (scheme) found.push({ scheme: scheme.toLowerCase(), fields: new Map() });
    else if (name) found.at(-1)?.fields.set(name.toLowerCase(), quoted?.replace(/\\(.)/g, '$1') ?? plain ?? '');
  }
  return found;
}
