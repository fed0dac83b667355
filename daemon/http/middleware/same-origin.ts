import type { MiddlewareHandler } from 'hono';
import { HubError } from '../../lib/hub-error.ts';
import type { HubEnv } from '../route.ts';
import { isCall } from './call-path.ts';

const reads = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Calls come from the console itself or from a program, never from a page of another origin: it could not read the
 * answer, but the published sign-out is a read. The console may be linked to from anywhere. Programs such as curl send
 * neither header. Browsers leave Sec-Fetch-Site out over plain HTTP, so Origin decides as well.
 */
export function sameOrigin(): MiddlewareHandler<HubEnv> {
  return async function checkOrigin(c, next) {
    if (!reads.has(c.req.method) || isCall(c.req.path)) {
      const site = c.req.header('sec-fetch-site');
      const origin = c.req.header('origin');
      const foreignSite = site !== undefined && site !== 'same-origin' && site !== 'none';
      if (foreignSite || (origin !== undefined && !isOwnOrigin(origin, c.req.header('host') ?? ''))) {
        throw new HubError('notPermitted', 'pages of another origin may not call', { http: 403 });
      }
    }
    await next();
  };
}

/** Only host and port are compared: a proxy in front may have taken the TLS off. */
function isOwnOrigin(origin: string, host: string): boolean {
  const url = URL.parse(origin);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return false;
  const own = URL.parse(`${url.protocol}//${host}`);
  return own !== null && own.host === url.host;
}
