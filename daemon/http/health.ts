import type { PlainRoute } from './plain-route.ts';

interface Health {
  readonly isReady: () => boolean;
  /** Whether the data folder has no more space for writes. */
  readonly isFull: () => boolean;
}

/** Only ready or not, because the call is public. A hub whose data folder is full is ready: its streams continue. */
export function healthRoute({ isReady, isFull }: Health): PlainRoute {
  return {
    path: '/api/health',
    scope: 'public',
    isOpenBeforeSetup: true,
    isPassive: true,
    summary: 'Whether the hub is ready: each of its listeners is open, or has failed with a reason.',
    contentType: 'application/json',
    respond: (c) => c.json({ result: 0, ready: isReady(), faults: isFull() ? ['noSpace'] : [] }, isReady() ? 200 : 503),
  };
}
