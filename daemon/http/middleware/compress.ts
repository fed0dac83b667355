import type { MiddlewareHandler } from 'hono';
import type { HubEnv } from '../route.ts';
import { accepts } from '../static-files.ts';

/** Less fits into one packet anyway. */
const leastBytes = 1400;
/** A list of 200 channels shrinks to a tenth at any level; the lowest one takes about a millisecond. */
const level = 1;

/**
 * Compresses JSON for clients that ask for it. Streams, pictures and exports stay as they are. The length of a compressed
 * response tells something about secrets in it only to an attacker who can send requests with the user's cookies, which
 * other origins cannot (same-origin.ts, SameSite).
 */
export function compress(): MiddlewareHandler<HubEnv> {
  return async function compressJson(c, next) {
    await next();
    if (!c.res.headers.get('content-type')?.startsWith('application/json')) return;
    if (c.res.headers.get('cache-control')?.includes('no-transform')) return;
    c.res.headers.set('vary', 'accept-encoding');
    if (c.req.raw.method === 'HEAD' || !accepts(c.req.header('accept-encoding') ?? '', 'gzip')) return;
    const { status, headers } = c.res;
    const plain = new Uint8Array(await c.res.arrayBuffer());
    if (plain.length >= leastBytes) headers.set('content-encoding', 'gzip');
    headers.delete('content-length');
    c.res = new Response(plain.length < leastBytes ? plain : Bun.gzipSync(plain, { level }), { status, headers });
  };
}
