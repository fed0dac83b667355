import type { Context, MiddlewareHandler } from 'hono';
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

/**
 * For published reads that change something, after `sameOrigin`. An image of a page at another port of the same host
 * would bring the session cookie, and over plain HTTP neither origin nor site. So a browser must show that its page is
 * the hub's; programs need not, and no page can send a token.
 */
export function refuseForeignPage(c: Context<HubEnv>): void {
  const header = (name: string) => c.req.header(name);
  const isProven = header('sec-fetch-site') !== undefined || header('origin') !== undefined;
  if (isProven || c.var.session?.token !== undefined) return;
  const referer = header('referer');
  const isForeign =
    referer === undefined ? /^Mozilla\//.test(header('user-agent') ?? '') : !isOwnOrigin(referer, header('host') ?? '');
  if (!isForeign) return;
  const message = 'a browser may do this only from a page of the hub; programs may send an access token instead';
  throw new HubError('notPermitted', message, { http: 403 });
}

/** Compares host and port only: a reverse proxy may have terminated TLS. */
function isOwnOrigin(origin: string, host: string): boolean {
  const url = URL.parse(origin);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return false;
  const own = URL.parse(`${url.protocol}//${host}`);
  return own !== null && own.host === url.host;
}
