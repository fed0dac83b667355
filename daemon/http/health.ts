import type { PlainRoute } from './plain-route.ts';

interface Health {
  readonly isReady: () => boolean;
  /** Nothing more can be written to the data folder. */
  readonly isFull: () => boolean;
}

/** Hardly more than ready or not, because anybody may ask. A hub whose data folder is full is ready: its streams go on. */
export function healthRoute({ isReady, isFull }: Health): PlainRoute {
  return {
    path: '/api/health',
    scope: 'public',
    isOpenToLocalhost: false,
    isOpenBeforeSetup: true,
    isPassive: true,
    summary: 'Whether the hub is ready: each of its listeners is open, or has failed with a reason.',
    contentType: 'application/json',
    query: {},
    respond: (c) => c.json({ result: 0, ready: isReady(), faults: isFull() ? ['noSpace'] : [] }, isReady() ? 200 : 503),
  };
}
