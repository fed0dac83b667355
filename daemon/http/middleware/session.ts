import type { Context, MiddlewareHandler } from 'hono';
import { getCookie } from 'hono/cookie';
import { backgroundHeader, cookieNames, type EndReason, httpSidCookie } from '../../contract/auth.ts';
import type { HubEnv, Session } from '../route.ts';

/** What a request brought: the session string of the cookie, or what programs send as a bearer. */
export interface Proof {
  readonly cookie: string | undefined;
  readonly bearer: string | undefined;
  readonly ip: string;
  /** False for what a page asks for by itself: it keeps no session alive. */
  readonly isUse: boolean;
}

export interface Gate {
  /** Whether an administrator password was chosen; nothing else works before. */
  isSetUp(): boolean;
  /** Who it is, or null when what they brought opens nothing (any more). */
  identify(proof: Proof): Session | null;
  /** Why it opens nothing any more, where that is known. */
  whyEnded(proof: Proof): EndReason | undefined;
}

/** The cookie, or for programs `Authorization: Bearer`. The readable cookies are never looked at. */
export function identify(gate: Gate, { isPassive }: { readonly isPassive: boolean }): MiddlewareHandler<HubEnv> {
  return async function findSession(c, next) {
    const bearer = /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1];
    const isUse = !isPassive && c.req.header(backgroundHeader) === undefined;
    const proof = { cookie: sessionCookie(c), bearer, ip: c.env.ip, isUse };
    const session = gate.identify(proof);
    c.set('session', session);
    c.set('endReason', session === null ? gate.whyEnded(proof) : undefined);
    await next();
  };
}

function sessionCookie(c: Context<HubEnv>): string | undefined {
  return getCookie(c, cookieNames.sid) ?? (c.env.isSecure ? undefined : getCookie(c, httpSidCookie));
}
