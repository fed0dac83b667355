import type { Context, ErrorHandler, NotFoundHandler } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { HubError } from '../../lib/hub-error.ts';
import type { Log } from '../../lib/log.ts';
import { isNoSpace, noSpaceError } from '../../lib/no-space.ts';
import type { HubEnv } from '../route.ts';

/** As published. */
export const jsonType = { 'content-type': 'application/json; charset=UTF-8' };

/** The only place that turns errors into responses. Any but a HubError is a bug: logged, returned without detail. */
export function respondToErrors(log: Log): ErrorHandler<HubEnv> {
  return function respondToError(error, c) {
    if (error instanceof HubError) return answer(c, error);
    if (isNoSpace(error)) return answer(c, noSpaceError());
    log.error('request failed', {
      id: c.var.requestId,
      method: c.req.method,
      path: c.req.path,
      error: error.stack ?? error.message,
    });
    const message = `internal error; see the log of the hub for the request ${c.var.requestId}`;
    return answer(c, new HubError('unknownError', message));
  };
}

/** `methods`: those of each path; a path with another method is not an unknown one. */
export function respondToUnknownPath(methods: (path: string) => readonly string[]): NotFoundHandler<HubEnv> {
  return (c) => {
    const { method, path } = c.req;
    const allowed = methods(path);
    if (allowed.length === 0)
      return answer(c, new HubError('notExist', `there is no ${method} ${path}`, { http: 404 }));
    c.header('allow', allowed.join(', '));
    return answer(
      c,
      new HubError('unsupported', `${path} supports ${allowed.join(' or ')}, not ${method}`, { http: 405 }),
    );
  };
}

function answer(c: Context<HubEnv>, error: HubError): Response {
  const wait = error.params?.['retry-after'];
  return c.json(error.body(), error.http as ContentfulStatusCode, {
    ...jsonType,
    ...(wait !== undefined && { 'retry-after': String(wait) }),
  });
}
