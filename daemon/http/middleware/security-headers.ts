import type { MiddlewareHandler } from 'hono';
import type { HubEnv } from '../route.ts';
import { isCall } from './call-path.ts';

/**
 * What the console may load. Mantine puts style elements into the page (hence 'unsafe-inline' for elements alone);
 * style attributes in markup, scripts in markup and everything from elsewhere are refused.
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
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
};

export function securityHeaders(): MiddlewareHandler<HubEnv> {
  return async function setHeaders(c, next) {
    await next();
    for (const [name, value] of Object.entries(headers)) c.res.headers.set(name, value);
    if (isCall(c.req.path)) c.res.headers.set('cache-control', 'no-store');
  };
}
