/** Assembles the preview feature for the composition root. */

import { calls } from '../../contract/calls.ts';
import { handleHeader, previewOpenPath } from '../../contract/preview-stream.ts';
import type { PlainRoute } from '../../http/plain-route.ts';
import { lazyRoutes } from '../../http/route.ts';
import { createLivePreview } from './live.ts';
import { createPreviewService, type PreviewDeps } from './service.ts';
import { signedIn } from './signed-in.ts';

export interface PreviewFeatureDeps extends PreviewDeps {
  /** Socket on which the engine serves live previews. */
  readonly socketPath: string;
}

export function createPreviewFeature(deps: PreviewFeatureDeps) {
  const service = createPreviewService(deps);
  return {
    routes: [lazyRoutes(calls.preview, async () => (await import('./routes.ts')).previewRoutes(service))],
    plainRoutes: [
      {
        ...{ path: previewOpenPath, scope: 'signedIn', isPassive: true },
        summary: 'Endless stream of small pictures; its header `handle-id` names it for `setup`.',
        contentType: 'multipart/x-mixed-replace',
        query: { v: 'Any value; keeps caches away.' },
        respond(c) {
          if (c.req.raw.method === 'HEAD') return new Response(null);
          const { handle, boundary, body } = service.open(signedIn(c.var.session));
          c.env.keepOpen();
          const type = `multipart/x-mixed-replace; boundary=${boundary}; handle-id=${handle}`;
          return new Response(body, {
            headers: { 'content-type': type, [handleHeader]: handle, 'x-accel-buffering': 'no' },
          });
        },
      },
      {
        ...{ path: '/api/preview/live/:id/:file', scope: 'channelView', isPassive: true },
        summary: 'Live stream of a channel as HLS: `index.m3u8`, or `low.m3u8` for low latency, and what they name.',
        contentType: 'application/vnd.apple.mpegurl',
        query: { _HLS_msn: 'Waits for this segment.', _HLS_part: 'Waits for this part of it.' },
        respond: createLivePreview(deps),
      },
    ] satisfies PlainRoute[],
    close: service.close,
  };
}
