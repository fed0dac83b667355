import type { MiddlewareHandler } from 'hono';
import { HubError } from '../../lib/hub-error.ts';
import { isFromThisMachine } from '../own-machine.ts';
import type { HubEnv } from '../route.ts';
import { isCall } from './call-path.ts';

/**
 * Sends pages that are asked for over HTTP to HTTPS, and refuses calls over HTTP. `httpsPort`: null while HTTP is open.
 *
 * Calls are not redirected: a program that followed would go on sending its token in clear text each time, unnoticed.
 * 307 rather than 308, because browsers keep a 308 after the setting was switched off. Programs on the machine itself, and
 * the health check of a load balancer, are served over HTTP all the same.
 */
export function httpsOnly(httpsPort: () => number | null): MiddlewareHandler<HubEnv> {
  return async function checkTransport(c, next) {
    const port = c.env.isSecure || isFromThisMachine(c) || c.req.path === '/api/health' ? null : httpsPort();
    if (port === null) return next();
    if (isCall(c.req.path)) {
      throw new HubError('notPermitted', `this hub takes calls over HTTPS only, at port ${port}`, { http: 403 });
    }
    const url = new URL(c.req.url);
    url.protocol = 'https:';
    url.port = String(port);
    return c.redirect(url.href, 307);
  };
}
