import type { MiddlewareHandler } from 'hono';
import { HubError } from '../../lib/hub-error.ts';
import type { HubEnv } from '../route.ts';
import { isCall } from './call-path.ts';

const reads = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Accepts calls from the console or from programs, never from a page of another origin: it could not read the response,
 * but the published sign-out is a read. Links to the console are allowed from anywhere. Programs such as curl send
 * neither header. Browsers omit Sec-Fetch-Site over plain HTTP, so Origin is checked as well.
 */
export function sameOrigin(): MiddlewareHandler<HubEnv> {
  return async function checkOrigin(c, next) {
    if (!reads.has(c.req.method) || isCall(c.req.path)) {
      const site = c.req.header('sec-fetch-site');
      const origin = c.req.header('origin');
      const foreignSite = site !== undefined && site !== 'same-origin' && site !== 'none';
      if (foreignSite || (origin !== undefined && !isOwnOrigin(origin, c.req.header('host') ?? ''))) {
        throw new HubError('notPermitted', 'calls from pages of another origin are not allowed', { http: 403 });
      }
    }
    await next();
  };
}

/** Compares host and port only: a reverse proxy may have terminated TLS. */
function isOwnOrigin(origin: string, host: string): boolean {
  const url = URL.parse(origin);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return false;
  const own = URL.parse(`${url.protocol}//${host}`);
  return own !== null && own.host === url.host;
}
