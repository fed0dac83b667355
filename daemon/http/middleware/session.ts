import type { MiddlewareHandler } from 'hono';
import { getCookie } from 'hono/cookie';
import { cookieNames } from '../../contract/auth.ts';
import type { HubEnv, Session } from '../route.ts';

export interface Gate {
  /** Whether an administrator password was chosen; nothing else works before. */
  isSetUp(): boolean;
  /** Whose session it is, or null when it isn't one (any more). */
  identify(sessionString: string): Session | null;
}

/** The cookie, or for programs `Authorization: Bearer`. The readable cookies are never looked at. */
export function identify(gate: Gate): MiddlewareHandler<HubEnv> {
  return async function findSession(c, next) {
    const bearer = /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1];
    const sessionString = getCookie(c, cookieNames.sid) ?? bearer;
    c.set('session', sessionString ? gate.identify(sessionString) : null);
    await next();
  };
}
