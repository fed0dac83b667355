import type { MiddlewareHandler } from 'hono';
import { getCookie } from 'hono/cookie';
import { cookieNames } from '../../contract/auth.ts';
import type { HubEnv, Session } from '../route.ts';

/** What a request brought: the session string of the cookie, or what programs send as a bearer. */
export interface Proof {
  readonly cookie: string | undefined;
  readonly bearer: string | undefined;
  readonly ip: string;
}

export interface Gate {
  /** Whether an administrator password was chosen; nothing else works before. */
  isSetUp(): boolean;
  /** Who it is, or null when what they brought opens nothing (any more). */
  identify(proof: Proof): Session | null;
}

/** The cookie, or for programs `Authorization: Bearer`. The readable cookies are never looked at. */
export function identify(gate: Gate): MiddlewareHandler<HubEnv> {
  return async function findSession(c, next) {
    const bearer = /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1];
    c.set('session', gate.identify({ cookie: getCookie(c, cookieNames.sid), bearer, ip: c.env.ip }));
    await next();
  };
}
