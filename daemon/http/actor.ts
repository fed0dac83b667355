import type { Context } from 'hono';
import type { Actor, HubEnv } from './route.ts';

/** Who does what the hub does by itself: the operation log shows no user. */
export const hubActor: Actor = { name: '', ip: '' };

/** Returns who makes the request. */
export function actorOf(c: Context<HubEnv>): Actor {
  const { session } = c.var;
  const { ip, isSecure, certificate } = c.env;
  const caller = { ip, ...(isSecure && { isSecure }), ...(certificate !== undefined && { certificate }) };
  const actor = { name: session?.user.name ?? '', ...caller };
  return session?.token ? { ...actor, via: session.token.name, maxPermissions: session.user.permission } : actor;
}
