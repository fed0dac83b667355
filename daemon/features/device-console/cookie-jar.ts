/**
 * The cookies of a device, which stay in the hub: in the browser they would be those of the host, which other devices, the
 * hub itself and other services on its machine share, whatever the port.
 */
import { cookieNames, httpSidCookie } from '../../contract/cookie-names.ts';

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

export const maxCookies = 50;
const longestCookie = 4096;
const ownNames = new Set<string>([...Object.values(cookieNames), httpSidCookie]);
/** Also those of the port of consoles. */
export const isReserved = (name: string): boolean =>
  ownNames.has(name.toLowerCase()) || /^(__host-)?(signalbox|mwcloud)-/i.test(name);

export type CookieJar = ReturnType<typeof createCookieJar>;

export function createCookieJar(now: () => number) {
  const cookies = new Map<string, Cookie>();
  return {
    /** Takes the value of a `Set-Cookie` of the response to this target. */
    set(line: string, target: string): void {
      if (line.length > longestCookie) return;
      const [pair = '', ...rest] = line.split(';');
      const at = pair.indexOf('=');
      const name = pair.slice(0, Math.max(0, at)).trim();
      if (name === '' || isReserved(name)) return;
      const attributes = new Map(rest.map(attributeOf));
      const path = attributes.get('path');
      const cookie: Cookie = {
        name,
        value: pair.slice(at + 1).trim(),
        path: path?.startsWith('/') ? path : folderOf(target),
        expiresAt: expiryOf(attributes, now()),
      };
      const key = `${name}\n${cookie.path}`;
      // Again at the end: the oldest one leaves first.
      cookies.delete(key);
      if (cookie.expiresAt <= now()) return;
      cookies.set(key, cookie);
      const [oldest] = cookies.keys();
      if (cookies.size > maxCookies && oldest !== undefined) cookies.delete(oldest);
    },
    /** The value of `Cookie` for a request to this target; '' for none. */
    header(target: string): string {
      const path = pathOf(target);
      const sent = [...cookies.values()].filter((one) => one.expiresAt > now() && matches(path, one.path));
      // Longer paths first (RFC 6265, section 5.4).
      const ordered = sent.toSorted((a, b) => b.path.length - a.path.length);
      return ordered.map(({ name, value }) => `${name}=${value}`).join('; ');
    },
  };
}

function attributeOf(text: string): [name: string, value: string] {
  const [name = '', ...value] = text.split('=');
  return [name.trim().toLowerCase(), value.join('=').trim()];
}

function expiryOf(attributes: ReadonlyMap<string, string>, now: number): number {
  const age = attributes.get('max-age');
  if (age !== undefined && /^-?\d{1,12}$/.test(age)) return now + Number(age) * 1000;
  const date = Date.parse(attributes.get('expires') ?? '');
  return Number.isNaN(date) ? Number.POSITIVE_INFINITY : date;
}

const pathOf = (target: string): string => target.split('?')[0] ?? '/';

function folderOf(target: string): string {
  const path = pathOf(target);
  return path.slice(0, Math.max(1, path.lastIndexOf('/')));
}

function matches(path: string, of: string): boolean {
  return path === of || (path.startsWith(of) && (of.endsWith('/') || path[of.length] === '/'));
}
