import type { MiddlewareHandler } from 'hono';
import type { Log } from '../../lib/log.ts';
import type { HubEnv } from '../route.ts';

/** Adds an id to each request, in the response and in the log, so that a report can be matched to its log line. */
export function requestId(log: Log): MiddlewareHandler<HubEnv> {
  return async function nameRequest(c, next) {
    const id = crypto.randomUUID();
    c.set('requestId', id);
    c.set('session', null);
    const began = performance.now();
    await next();
    c.res.headers.set('x-request-id', id);
    log.debug('request', {
      id,
      method: c.req.method,
      path: c.req.path,
      status: c.res.status,
      ms: Math.round(performance.now() - began),
      user: c.var.session?.user.name,
    });
  };
}
