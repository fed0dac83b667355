import type { MiddlewareHandler } from 'hono';
import { HubError } from '../../lib/hub-error.ts';
import type { HubEnv } from '../route.ts';

/** More than any call needs; each call also has its own limit. */
const maxBodyBytes = 16 * 1024 * 1024;

/** Refuses a larger body before anything else looks at the request, unless its route takes the body as a stream. */
export function bodyLimit(
  streams: readonly { readonly method: string; readonly path: string }[],
): MiddlewareHandler<HubEnv> {
  const known = new Set(streams.map(({ method, path }) => `${method} ${path}`));
  return async function limitBody(c, next) {
    const isStream = known.has(`${c.req.method} ${c.req.path}`);
    if (!isStream && Number(c.req.header('content-length') ?? 0) > maxBodyBytes) {
      throw new HubError('tooLarge', `a body holds at most ${maxBodyBytes} bytes`, { http: 413 });
    }
    await next();
  };
}
