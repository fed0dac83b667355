import type { Context } from 'hono';
import { isLoopback } from '../lib/outgoing-address.ts';
import type { HubEnv } from './route.ts';

const forwardingHeaders = ['x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'forwarded', 'via'];

/**
 * Whether a program on this machine asks by itself, and not a proxy for somebody else. A proxy that is not trusted, adds
 * none of these headers and asks for a loopback name cannot be told from a local program.
 */
export function isFromThisMachine({ env, req }: Context<HubEnv>): boolean {
  if (!isLoopback(env.ip) || forwardingHeaders.some((name) => req.header(name) !== undefined)) return false;
  const host = URL.parse(`http://${req.header('host') ?? ''}`)?.hostname ?? '';
  return host === 'localhost' || isLoopback(host.replace(/^\[(.*)\]$/, '$1'));
}
