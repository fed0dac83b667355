import type { MiddlewareHandler } from 'hono';
import { HubError } from '../../lib/hub-error.ts';
import type { HubEnv } from '../route.ts';

const reads = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Writes come from the console itself or from a program, never from a page of another origin. Programs such as curl send
 * neither header. Browsers leave Sec-Fetch-Site out over plain HTTP, so Origin decides as well.
 */
export function sameOrigin(): MiddlewareHandler<HubEnv> {
  return async function checkOrigin(c, next) {
    if (!reads.has(c.req.method)) {
      const site = c.req.header('sec-fetch-site');
      const origin = c.req.header('origin');
      const foreignSite = site !== undefined && site !== 'same-origin' && site !== 'none';
      if (foreignSite || (origin !== undefined && !isOwnOrigin(origin, c.req.header('host') ?? ''))) {
        throw new HubError('notPermitted', 'pages of another origin may not write', { http: 403 });
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
