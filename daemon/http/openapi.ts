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
  respond: async (c) =>
    c.body(await Bun.file(installLayout.apiDescription).text(), 200, { 'content-type': 'application/json' }),
};
