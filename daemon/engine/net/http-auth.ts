/** Authentication for HTTP and RTSP, both sides: Basic (RFC 7617), Digest (RFC 7616; RFC 2069 as cameras use it). */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** A challenge, or the response to one. */
interface Challenge {
  readonly scheme: string;
  readonly fields: ReadonlyMap<string, string>;
}

const hashes: Readonly<Record<string, string>> = { '': 'md5', MD5: 'md5', 'SHA-256': 'sha256' };
/** Untrusted input is parsed here. */
const maxHeaderLength = 4096;

/** Remembers a server's challenge and answers it with every request from then on. */
export class Authorizer {
  private readonly credentials: Credentials;
  private readonly newNonce: () => string;
  private challenge: Challenge | undefined;
  private uses = 0;

  constructor(credentials: Credentials, newNonce = () => randomBytes(8).toString('hex')) {
    this.credentials = credentials;
    this.newNonce = newNonce;
  }

  /**
   * Takes the `WWW-Authenticate` of a refusal. Returns false if it cannot be answered or if the answer to it was
   * refused. An expired nonce is replaced by a new one; not every server marks it as stale.
   */
  learn(header: string): boolean {
    if (!this.credentials.username) return false;
    const challenges = parseChallenges(header.slice(0, maxHeaderLength));
    const usable = (one: Challenge) => one.scheme === 'digest' && hashOf(one) !== undefined;
    const next = challenges.find(usable) ?? challenges.find(({ scheme }) => scheme === 'basic');
    if (!next || this.isRefused(next)) return false;
    this.challenge = next;
    this.uses = 0;
    return true;
  }

  private isRefused({ fields }: Challenge): boolean {
    if (!this.challenge || fields.get('stale')?.toLowerCase() === 'true') return false;
    return fields.get('nonce') === this.challenge.fields.get('nonce');
  }

  /** Returns the `Authorization` of a request, or undefined if there was no challenge yet. */
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
    const [realm, nonce] = [field('realm') ?? '', field('nonce') ?? ''];
    const hasQop = (field('qop') ?? '').split(',').some((one) => one.trim() === 'auth');
    const count = (++this.uses).toString(16).padStart(8, '0');
    const clientNonce = this.newNonce();
    const response = digestOf({
      ...{ hash: hashOf(challenge) ?? 'md5', username, password, realm, nonce, method, uri },
      qop: hasQop ? `${count}:${clientNonce}:auth` : undefined,
    });
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

interface DigestParts {
  readonly hash: string;
  readonly username: string;
  readonly password: string;
  readonly realm: string;
  readonly nonce: string;
  readonly method: string;
  readonly uri: string;
  /** Nonce count, client nonce and qop value, joined; undefined without qop. */
  readonly qop: string | undefined;
}

function digestOf({ hash, username, password, realm, nonce, method, uri, qop }: DigestParts): string {
  const hex = (text: string) => createHash(hash).update(text).digest('hex');
  const secret = hex(`${username}:${realm}:${password}`);
  const request = hex(`${method}:${uri}`);
  return hex(qop === undefined ? `${secret}:${nonce}:${request}` : `${secret}:${nonce}:${qop}:${request}`);
}

/** Checks user name and password. The nonce is meant for one connection. */
export class Gatekeeper {
  private readonly realm: string;
  private readonly nonce: string;

  constructor(realm: string, nonce: string = randomBytes(16).toString('hex')) {
    this.realm = realm;
    this.nonce = nonce;
  }

  /** For `WWW-Authenticate`, the stronger scheme first. Every player supports MD5. */
  get challenges(): readonly string[] {
    return [`Digest realm="${this.realm}", nonce="${this.nonce}", algorithm=MD5`, `Basic realm="${this.realm}"`];
  }

  /** Whether this `Authorization` is valid. */
  admits(header: string, method: string, { username, password }: Credentials): boolean {
    const basic = /^Basic +([\w+/=]+)\s*$/i.exec(header.slice(0, maxHeaderLength))?.[1];
    if (basic !== undefined) return isSame(Buffer.from(basic, 'base64').toString(), `${username}:${password}`);
    const [answer] = parseChallenges(header.slice(0, maxHeaderLength));
    const field = (name: string) => answer?.fields.get(name) ?? '';
    if (answer?.scheme !== 'digest' || hashOf(answer) !== 'md5') return false;
    if (field('nonce') !== this.nonce || field('username') !== username || field('realm') !== this.realm) return false;
    const qop = field('qop') === '' ? undefined : `${field('nc')}:${field('cnonce')}:${field('qop')}`;
    const { realm, nonce } = this;
    const parts = { hash: 'md5', username, password, realm, nonce, method, uri: field('uri'), qop };
    return isSame(field('response').toLowerCase(), digestOf(parts));
  }
}

/** Takes the same time for wrong and right texts. */
function isSame(given: string, right: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(right));
}

function hashOf({ fields }: Challenge): string | undefined {
  return hashes[(fields.get('algorithm') ?? '').toUpperCase()];
}

function quote(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

/** Sticky, so that matching takes linear time: a search would rescan a long run of text from each of its bytes. */
const word = /[^\w-]*([\w-]+)(\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*)))?/gy;

/** Several challenges may share one header: a scheme is a word that no '=' follows. */
function parseChallenges(header: string): Challenge[] {
  const found: { scheme: string; fields: Map<string, string> }[] = [];
  for (const [, name = '', value, quoted, plain] of header.matchAll(word)) {
    if (value === undefined) found.push({ scheme: name.toLowerCase(), fields: new Map() });
    else found.at(-1)?.fields.set(name.toLowerCase(), quoted?.replace(/\\(.)/g, '$1') ?? plain ?? '');
  }
  return found;
}
