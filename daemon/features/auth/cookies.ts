import type { Context } from 'hono';
import { deleteCookie, setCookie } from 'hono/cookie';
import type { SessionUser } from '../../contract/auth.ts';
import { cookieNames, httpSidCookie } from '../../contract/cookie-names.ts';
import type { HubEnv } from '../../http/route.ts';

/**
 * Only the session token is trusted; the other cookies are for programs that show them. Scripts see none but `signedIn`:
 * cookies know no ports, so scripts of other pages under the host's name, such as those of devices, would see them.
 */
export function setSessionCookies(c: Context<HubEnv>, token: string, user: SessionUser): void {
  const options = { path: '/', sameSite: 'Strict', secure: c.env.isSecure, httpOnly: true } as const;
  const shown: Record<Exclude<keyof typeof cookieNames, 'sid' | 'checksum' | 'signedIn'>, string> = {
    uid: user.name,
    userName: user.name,
    userType: String(user.type),
    userId: String(user.id),
    permission: String(user.permission),
  };
  setCookie(c, cookieNames.sid, token, options);
  if (!c.env.isSecure) setCookie(c, httpSidCookie, token, options);
  for (const [key, value] of Object.entries(shown)) {
    setCookie(c, cookieNames[key as keyof typeof shown], value, options);
  }
  setCookie(c, cookieNames.checksum, checksumOf(user), options);
  setCookie(c, cookieNames.signedIn, '1', { ...options, httpOnly: false });
}

export function clearSessionCookies(c: Context<HubEnv>): void {
  const names = [...Object.values(cookieNames), ...(c.env.isSecure ? [] : [httpSidCookie])];
  for (const name of names) deleteCookie(c, name, { path: '/', secure: c.env.isSecure });
}

/** Lets a console detect cookies that were mixed up or edited; it is not a proof. */
function checksumOf(user: SessionUser): string {
  const text = [user.name, user.type, user.permission, user.id].join('|');
  return new Bun.CryptoHasher('sha256').update(text).digest('hex').slice(0, 16);
}
