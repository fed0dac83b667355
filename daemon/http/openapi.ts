import { installLayout } from '../lib/install-layout.ts';
import type { PlainRoute } from './plain-route.ts';

/** Serves docs/openapi.json, which `make openapi` generates from the contract. Tools read it before they have a session. */
export const openApiRoute: PlainRoute = {
  path: '/api/openapi.json',
  scope: 'public',
  isOpenBeforeSetup: true,
  isPassive: true,
  summary: 'This description.',
  contentType: 'application/json',
  /** Sent from the file, not compressed: a stranger's requests cost neither time nor memory. */
  respond: () =>
    new Response(Bun.file(installLayout.apiDescription), {
      headers: { 'content-type': 'application/json', 'cache-control': 'no-store, no-transform' },
    }),
};
