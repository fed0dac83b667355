import { ndiRuntimeApi } from '../../contract/ndi-runtime.ts';
import type { AnnouncedFile } from '../../contract/uploads.ts';
import { type Actor, bind, type Route, type Session, signedIn } from '../../http/route.ts';
import type { NdiRouterService } from './service.ts';
import { showRuntime } from './view.ts';

interface RuntimeCalls {
  readonly load: () => Promise<NdiRouterService>;
  readonly retry: (actor: Actor) => Promise<void>;
  readonly beginUpload: (session: Session, announced: AnnouncedFile, details: { readonly actor: Actor }) => number;
}

export function ndiRuntimeRoutes({ load, retry, beginUpload }: RuntimeCalls): Route[] {
  return [
    bind(ndiRuntimeApi.get, async () => ({ runtime: showRuntime((await load()).core.runtime()) })),
    bind(ndiRuntimeApi.retry, async ({ actor }) => retry(actor)),
    bind(ndiRuntimeApi.upload, ({ body: { name, size, sha256 }, session, actor }) => ({
      task: beginUpload(signedIn(session), { name, size, sha256 }, { actor }),
    })),
  ];
}
