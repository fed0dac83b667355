import { previewApi } from '../../contract/preview.ts';
import { bind, type Route } from '../../http/route.ts';
import type { createPreviewService } from './service.ts';
import { signedIn } from './signed-in.ts';

export function previewRoutes(service: ReturnType<typeof createPreviewService>): Route[] {
  return [
    bind(previewApi.setup, ({ session, body }) => service.setup(signedIn(session), body)),
    bind(previewApi.clear, ({ session, query }) => service.clear(signedIn(session), query.id)),
  ];
}
