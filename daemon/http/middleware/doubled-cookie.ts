/**
 * Two session cookies: the hub sets one, for all paths of its host. Cookies know no ports, so a page of another port, such
 * as that of a device, can add one for a path or for subdomains as well, to sign the user in as somebody else. It cannot
 * replace the hub's, which is hidden from scripts. Which of the two that is cannot be seen, so neither counts.
 */
import { isIP } from 'node:net';
import type { Context } from 'hono';
import { deleteCookie } from 'hono/cookie';
import { cookieNames, httpSidCookie } from '../../contract/cookie-names.ts';
import type { HubEnv } from '../route.ts';

const names = [cookieNames.sid, httpSidCookie];
/** A browser keeps no more for a host. */
const mostPaths = 16;

export function isDoubled(c: Context<HubEnv>): boolean {
  const header = c.req.header('cookie') ?? '';
  return names.some((name) => header.split(`${name}=`).length > 2 && valuesOf(header, name).length > 1);
}

/** Deletes those that the hub has not set; the next request has one again. */
export function removeDoubles(c: Context<HubEnv>): void {
  const host = URL.parse(`http://${c.req.header('host') ?? ''}`)?.hostname ?? '';
  const isName = host.includes('.') && isIP(host) === 0;
  const parts = c.req.path.split('/').slice(1, mostPaths);
  const folders = parts.map((_, index) => `/${parts.slice(0, index + 1).join('/')}`);
  // With and without a slash at the end they are different cookies.
  const paths = folders.flatMap((path) => [path, `${path}/`]);
  for (const name of names) {
    for (const path of paths) deleteCookie(c, name, { path });
    if (isName) for (const path of ['/', ...paths]) deleteCookie(c, name, { path, domain: host });
  }
}

function valuesOf(header: string, name: string): string[] {
  return header.split(/; ?/).filter((pair) => pair.startsWith(`${name}=`));
}
