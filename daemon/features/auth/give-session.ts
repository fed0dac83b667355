import type { Context } from 'hono';
import { actorOf } from '../../http/actor.ts';
import type { HubEnv } from '../../http/route.ts';
import { setSessionCookies } from './cookies.ts';
import type { AuthService } from './service.ts';

/** Signs the user in at the address of the request: cookies that the browser has belong to another one. */
export function giveSession(auth: AuthService, http: Context<HubEnv>, userId: number): void {
  const given = auth.startFor(actorOf(http), userId, http.req.header('user-agent'));
  if (given) setSessionCookies(http, given.token, given.user);
}
