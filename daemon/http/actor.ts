import type { Context } from 'hono';
import type { Actor, HubEnv } from './route.ts';

/** Returns who makes the request. */
export function actorOf(c: Context<HubEnv>): Actor {
  const { session } = c.var;
  const { ip, isSecure } = c.env;
  const actor = { name: session?.user.name ?? '', ip, ...(isSecure && { isSecure }) };
  return session?.token ? { ...actor, via: session.token.name, maxPermissions: session.user.permission } : actor;
}
