import type { Context } from 'hono';
import { isLoopback } from '../lib/outgoing-address.ts';
import type { HubEnv } from './route.ts';

const forwardingHeaders = ['x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'forwarded', 'via'];

/**
 * Whether the request comes from a program on this machine, not through a proxy. An untrusted proxy that adds none
 * of these headers and requests a loopback name cannot be distinguished from a local program.
 */
export function isFromThisMachine({ env, req }: Context<HubEnv>): boolean {
  if (!isLoopback(env.ip) || forwardingHeaders.some((name) => req.header(name) !== undefined)) return false;
  const host = URL.parse(`http://${req.header('host') ?? ''}`)?.hostname ?? '';
  return host === 'localhost' || isLoopback(host.replace(/^\[(.*)\]$/, '$1'));
}
