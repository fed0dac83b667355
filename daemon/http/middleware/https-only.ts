import type { MiddlewareHandler } from 'hono';
import { HubError } from '../../lib/hub-error.ts';
import { isFromThisMachine } from '../own-machine.ts';
import type { HubEnv } from '../route.ts';
import { isCall } from './call-path.ts';

/**
 * Redirects pages requested over HTTP to HTTPS, and refuses calls over HTTP. `httpsPort` is null while HTTP is allowed.
 *
 * Calls are not redirected: a program that follows would keep sending its token in clear text, unnoticed. 307 rather
 * than 308, because browsers cache a 308 even after the setting was switched off. Programs on the machine itself, and
 * the health check of a load balancer, are still served over HTTP.
 */
export function httpsOnly(httpsPort: () => number | null): MiddlewareHandler<HubEnv> {
  return async function checkTransport(c, next) {
    const port = c.env.isSecure || isFromThisMachine(c) || c.req.path === '/api/health' ? null : httpsPort();
    if (port === null) return next();
    if (isCall(c.req.path)) {
      throw new HubError('notPermitted', `this hub accepts calls only over HTTPS, at port ${port}`, { http: 403 });
    }
    const url = new URL(c.req.url);
    url.protocol = 'https:';
    url.port = String(port);
    return c.redirect(url.href, 307);
  };
}
