/**
 * The cookies of consoles in a browser, one for each port. It has the session, and stays after that has ended: then it
 * says which device has had the origin of that port, so that another one gets another.
 */
import { type RequestHead, valuesOf } from './http-message.ts';

export interface PortCookie {
  readonly port: number;
  /** Names the device (`markOf`). */
  readonly mark: string;
  readonly secret: string;
}

const pattern = /^(?:__Host-)?signalbox-console-(\d{1,5})=([0-9a-f]{16})\.([A-Za-z0-9_-]{43})$/;

/** By port. Two for one port were not both set here: that port has none, until the browser is closed. */
export function cookiesOf({ headers }: RequestHead): ReadonlyMap<number, PortCookie> {
  const all = new Map<number, PortCookie>();
  const twice = new Set<number>();
  for (const text of valuesOf(headers, 'cookie').join('; ').split('; ')) {
    const [, digits, mark = '', secret = ''] = pattern.exec(text) ?? [];
    if (digits === undefined) continue;
    const port = Number(digits);
    if (all.has(port)) twice.add(port);
    all.set(port, { port, mark, secret });
  }
  for (const port of twice) all.set(port, { port, mark: '', secret: '' });
  return all;
}

export const portCookies = {
  /** A cookie of this host and all of its paths, which scripts do not see and other sites do not send. */
  write({ port, mark, secret }: PortCookie, isSecure: boolean): string {
    const name = `${isSecure ? '__Host-' : ''}signalbox-console-${port}`;
    return `${name}=${mark}.${secret}; Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  },
};
