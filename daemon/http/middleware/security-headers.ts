import type { MiddlewareHandler } from 'hono';
import type { HubEnv } from '../route.ts';
import { isCall } from './call-path.ts';

/**
 * What the console may load. Mantine adds style elements to the page (hence 'unsafe-inline' for elements only);
 * style attributes in markup, scripts in markup and everything from other origins are refused.
 */
const contentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "style-src-elem 'self' 'unsafe-inline'",
  "style-src-attr 'none'",
  "img-src 'self' blob: data:",
  "media-src 'self' blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const headers: Readonly<Record<string, string>> = {
  'content-security-policy': contentPolicy,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
};

/** The worker that asks other addresses of the hub; the console's own files have nothing to do with them. */
const reachPath = '/reach.js';
const reachPolicy = "default-src 'none'; connect-src http: https:";
/** What it loads there, which any page may load: it shows no more than that there is a hub. */
const probedPath = '/favicon.svg';

/** Whether browsers are instructed to use HTTPS only; `ended` revokes an earlier instruction. */
export type HstsState = 'never' | 'on' | 'ended';

/**
 * 26 weeks: longer than most consoles stay closed. A browser that does not return obeys for that long, whatever happens
 * to the hub and its certificate, so it is not longer. Subdomains of the hub's name do not belong to the hub.
 */
export const hstsSeconds = 26 * 7 * 24 * 3600;

const hstsHeaders = { never: undefined, on: `max-age=${hstsSeconds}`, ended: 'max-age=0' } as const;

/** `hsts` is evaluated for each response; the header is sent over TLS only (RFC 6797, section 7.2). */
export function securityHeaders(hsts: () => HstsState): MiddlewareHandler<HubEnv> {
  return async function setHeaders(c, next) {
    await next();
    for (const [name, value] of Object.entries(headers)) c.res.headers.set(name, value);
    if (c.req.path === reachPath) c.res.headers.set('content-security-policy', reachPolicy);
    if (c.req.path === probedPath) c.res.headers.set('cross-origin-resource-policy', 'cross-origin');
    // Over plain HTTP, browsers ignore the header and report it as an error of the page.
    if (c.env.isSecure) c.res.headers.set('cross-origin-opener-policy', 'same-origin');
    const strict = c.env.isSecure ? hstsHeaders[hsts()] : undefined;
    if (strict !== undefined) c.res.headers.set('strict-transport-security', strict);
    const isStored = c.res.headers.get('cache-control')?.includes('no-store') !== true;
    if (isStored && isCall(c.req.path)) c.res.headers.set('cache-control', 'no-store');
  };
}
