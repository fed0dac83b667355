import type { PlainRoute } from './plain-route.ts';

/** Ready or not, and nothing else: anybody may ask. */
export function healthRoute(isReady: () => boolean): PlainRoute {
  return {
    path: '/api/health',
    scope: 'public',
    isOpenToLocalhost: false,
    isOpenBeforeSetup: true,
    isPassive: true,
    summary: 'Whether the hub is ready.',
    contentType: 'application/json',
    query: {},
    respond: (c) => c.json({ result: 0, ready: isReady() }, isReady() ? 200 : 503),
  };
}
