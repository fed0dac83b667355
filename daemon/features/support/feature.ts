/** The support file: what a developer needs to find a fault of this hub, without its secrets. */
import { supportFilePath } from '../../contract/calls.ts';
import { actorOf } from '../../http/actor.ts';
import type { Feature } from '../../http/feature.ts';
import { HubError } from '../../lib/hub-error.ts';
import { transaction } from '../../store/database.ts';
import type { Audit } from '../logs/audit.ts';
import { type SupportSources, supportFiles } from './support-files.ts';

export interface SupportDeps extends SupportSources {
  readonly audit: Audit;
}

export function createSupportFeature(deps: SupportDeps): Feature {
  const { db, audit, now } = deps;
  let isBusy = false;
  return {
    plainRoutes: [
      {
        path: supportFilePath,
        scope: 'admin',
        summary:
          'Support file: version, settings and configuration without secrets, reported state, and both logs of the last 24 hours. The operation log records the user.',
        contentType: 'application/gzip',
        async respond(c) {
          const stamp = new Date(now()).toISOString().slice(0, 16).replace(/[-:]/g, '');
          const headers = {
            'content-type': 'application/gzip',
            'content-disposition': `attachment; filename="signalbox-support-${stamp}.tar.gz"`,
            'cache-control': 'no-store',
          };
          if (c.req.raw.method === 'HEAD') return new Response(null, { headers });
          if (isBusy) throw new HubError('inProgress', 'a support file is already being created', { http: 409 });
          isBusy = true;
          try {
            transaction<void>(db, (tx) => audit.record(tx, actorOf(c), { action: 'system.supportFile', subject: '' }));
            const archive = new Bun.Archive(await supportFiles(deps), { compress: 'gzip' });
            return new Response(await archive.blob(), { headers });
          } finally {
            isBusy = false;
          }
        },
      },
    ],
  };
}
