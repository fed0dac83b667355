import type { Context, MiddlewareHandler } from 'hono';
import { getCookie } from 'hono/cookie';
import type { EndReason } from '../../contract/auth.ts';
import { backgroundHeader } from '../../contract/calls.ts';
import { cookieNames, httpSidCookie } from '../../contract/cookie-names.ts';
import type { HubEnv, Session } from '../route.ts';
import { isDoubled, removeDoubles } from './doubled-cookie.ts';

/** Credentials of a request: the session token of the cookie, or the bearer token of a program. */
export interface Proof {
  readonly cookie: string | undefined;
  readonly bearer: string | undefined;
  readonly ip: string;
  /** False for requests that a page makes on its own: they do not keep the session alive. */
  readonly isUse: boolean;
}

export interface Gate {
  /** Whether an administrator password has been set; nothing else works before. */
  isSetUp(): boolean;
  /** Returns the session, or null if the credentials are not (or no longer) valid. */
  identify(proof: Proof): Session | null;
  /** Why the session has ended; undefined if unknown. */
  whyEnded(proof: Proof): EndReason | undefined;
}

/** The cookie, or for programs `Authorization: Bearer`. The cookies readable by scripts are never used. */
export function identify(gate: Gate, { isPassive }: { readonly isPassive: boolean }): MiddlewareHandler<HubEnv> {
  return async function findSession(c, next) {
    const proof = proofOf(c, { isPassive });
    const session = gate.identify(proof);
    c.set('session', session);
    c.set('endReason', session === null ? gate.whyEnded(proof) : undefined);
    if (isDoubled(c)) removeDoubles(c);
    await next();
  };
}

export function proofOf(c: Context<HubEnv>, { isPassive }: { readonly isPassive: boolean }): Proof {
  const bearer = /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1];
  const isUse = !isPassive && c.req.header(backgroundHeader) === undefined;
  return { cookie: sessionCookie(c), bearer, ip: c.env.ip, isUse };
}

function sessionCookie(c: Context<HubEnv>): string | undefined {
  if (isDoubled(c)) return undefined;
  return getCookie(c, cookieNames.sid) ?? (c.env.isSecure ? undefined : getCookie(c, httpSidCookie));
}
