/** Assembles the calls about the NDI runtime for the composition root. */
import { calls } from '../../contract/calls.ts';
import { limits } from '../../contract/limits.ts';
import type { Feature } from '../../http/feature.ts';
import { type Actor, lazyRoutes } from '../../http/route.ts';
import type { Log } from '../../lib/log.ts';
import { type Database, transaction } from '../../store/database.ts';
import type { Audit } from '../logs/audit.ts';
import type { UploadService } from '../uploads/service.ts';
import type { NdiRouterService } from './service.ts';

interface RuntimeDeps {
  readonly db: Database;
  readonly audit: Audit;
  readonly uploads: Pick<UploadService, 'register'>;
  readonly dataDir: string;
  readonly log: Log;
  readonly load: () => Promise<NdiRouterService>;
}

/** Stored with an upload until its file is complete. */
interface UploadDetails {
  readonly actor: Actor;
}

export function createNdiRuntimeFeature({ db, audit, uploads, dataDir, log, load }: RuntimeDeps): Feature {
  const beginUpload = uploads.register<UploadDetails>({
    ...{ kind: 'ndiRuntime.upload', scope: calls.ndiRuntime.upload.scope },
    ...{ maxBytes: limits.ndiRuntime.maxBytes, reservedBytes: limits.ndiRuntime.freeBytes },
    async use(file, _run, { actor }) {
      const { installRuntime } = await import('../../ndi/install-runtime.ts');
      const version = await installRuntime(file.path, { dataDir, log });
      const changes = [{ word: 'sha256' as const, value: file.sha256 }];
      transaction<void>(db, (tx) => audit.record(tx, actor, { action: 'ndiRuntime.add', subject: version, changes }));
      (await load()).core.retry();
    },
  });
  /** The log entry records the retry, not its result, which the state of the runtime shows later. */
  async function retry(actor: Actor): Promise<void> {
    const { core } = await load();
    transaction<void>(db, (tx) =>
      audit.record(tx, actor, { action: 'ndiRuntime.retry', subject: core.runtime().state }),
    );
    core.retry();
  }
  return {
    routes: [
      lazyRoutes(calls.ndiRuntime, async () =>
        (await import('./runtime-routes.ts')).ndiRuntimeRoutes({ load, retry, beginUpload }),
      ),
    ],
  };
}
