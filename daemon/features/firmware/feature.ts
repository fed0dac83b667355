/** Assembles the noun for the composition root: firmware files of devices. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { calls, firmwareDownloadPath } from '../../contract/calls.ts';
import type { FirmwareProduct, StatedFirmware } from '../../contract/firmware.ts';
import { limits } from '../../contract/limits.ts';
import type { AnnouncedFile } from '../../contract/uploads.ts';
import { bodyType } from '../../http/body-route.ts';
import type { Feature } from '../../http/feature.ts';
import { sendFile } from '../../http/file-response.ts';
import { type Actor, lazyRoutes, type Session } from '../../http/route.ts';
import { HubError } from '../../lib/hub-error.ts';
import type { Log } from '../../lib/log.ts';
import type { Database } from '../../store/database.ts';
import type { Audit } from '../logs/audit.ts';
import type { UploadService } from '../uploads/service.ts';
import type { FirmwareLibrary } from './library.ts';
import type { WaitingFiles } from './waiting.ts';

export interface FirmwareDeps {
  readonly db: Database;
  readonly audit: Audit;
  readonly uploads: Pick<UploadService, 'register'>;
  readonly now: () => number;
  readonly log: Log;
  readonly dataDir: string;
  /** Free space of the data folder; undefined while unknown. */
  readonly freeBytes: () => number | undefined;
  /** The products of the devices that the caller sees. */
  readonly products: (session: Session) => FirmwareProduct[];
}

/** Stored with an upload until its file is complete. */
interface UploadDetails {
  readonly actor: Actor;
  readonly stated: StatedFirmware;
}

export interface FirmwareParts {
  readonly library: FirmwareLibrary;
  readonly waiting: WaitingFiles;
  readonly beginUpload: (session: Session, announced: AnnouncedFile, details: UploadDetails) => number;
}

export function createFirmwareFeature(deps: FirmwareDeps) {
  const { db, audit, now, log, products } = deps;
  const folder = join(deps.dataDir, 'firmware');
  let opened: Promise<Omit<FirmwareParts, 'beginUpload'>> | undefined;
  const open = async (): Promise<Omit<FirmwareParts, 'beginUpload'>> => {
    const [{ openFirmwareLibrary }, { openWaitingFiles }] = await Promise.all([
      import('./library.ts'),
      import('./waiting.ts'),
    ]);
    const library = await openFirmwareLibrary({ db, audit, log, now, folder });
    return { library, waiting: await openWaitingFiles({ folder: join(folder, 'waiting'), freeBytes: deps.freeBytes }) };
  };
  /** The library opens with its first use, or at the start if it has files. */
  const parts = () => {
    opened ??= open().catch((error) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
  const beginUpload = deps.uploads.register<UploadDetails>({
    ...{ kind: 'firmware.upload', scope: calls.firmware.beginUpload.scope },
    ...{ maxBytes: limits.firmware.maxBytes, reservedBytes: limits.firmware.freeBytes },
    async use(file, _run, { actor, stated }) {
      await (await parts()).library.add(actor, file, stated);
    },
  });

  return {
    routes: [
      lazyRoutes(calls.firmware, async () =>
        (await import('./routes.ts')).firmwareRoutes({ products, beginUpload }, await parts()),
      ),
    ],
    plainRoutes: [
      {
        path: firmwareDownloadPath,
        scope: 'firmwareView',
        summary: 'A firmware file.',
        contentType: bodyType,
        query: { id: 'Id of the firmware file.' },
        async respond(c) {
          const id = c.req.query('id') ?? '';
          if (!/^\d{1,15}$/.test(id)) throw new HubError('notExist', 'there is no such firmware file', { http: 404 });
          const { path, fileName } = await findPlain((await parts()).library, Number(id));
          return sendFile(c, { path, name: fileName });
        },
      },
    ],
    start(): void {
      if (existsSync(folder))
        void parts().catch((error) => log.error('the firmware library cannot be opened', { reason: String(error) }));
    },
    async close(): Promise<void> {
      (await opened?.catch(() => undefined))?.waiting.close();
    },
    /** For upgrades: opens the library. */
    library: async (): Promise<FirmwareLibrary> => (await parts()).library,
  } satisfies Feature & { library: () => Promise<FirmwareLibrary> };
}

function findPlain(library: FirmwareLibrary, id: number) {
  try {
    return library.find(id);
  } catch (error) {
    if (error instanceof HubError) throw new HubError(error.result, error.message, { http: 404 });
    throw error;
  }
}
