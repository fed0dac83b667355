/** Actions on clients of a channel: the engine carries them out, then the operation log records the user. */

import type { Actor } from '../../http/route.ts';
import { HubError } from '../../lib/hub-error.ts';
import { notExist } from '../../lib/refusals.ts';
import { MediaError } from '../../media/engine-link.ts';
import type { MediaPort } from '../../media/port.ts';
import type { EngineReply } from '../../media/protocol/messages.ts';
import { type Database, transaction } from '../../store/database.ts';
import { timing } from '../../timing.ts';
import type { Audit } from '../logs/audit.ts';
import type { Configuration } from './configuration.ts';

interface ClientDeps {
  readonly db: Database;
  readonly audit: Audit;
  readonly configuration: () => Configuration;
  readonly media: Pick<MediaPort, 'status' | 'request'>;
}

export interface ClientActs {
  disconnect(actor: Actor, of: { readonly id: number; readonly client: number }): Promise<void>;
}

export function createClientActs({ db, audit, configuration, media }: ClientDeps): ClientActs {
  return {
    async disconnect(actor, { id, client }) {
      const channel = configuration().channels.find((one) => one.id === id);
      if (!channel) throw notExist('channel', id);
      const known = media
        .status()
        .channels.get(id)
        ?.clients.find((one) => one.id === client);
      if (!known) throw notExist(`client of '${channel.name}'`, client);
      const reply = await ask(media, id, client);
      // The client left in the meantime: nothing was done, so nothing is logged.
      if (reply.what !== 'done') throw notExist(`client of '${channel.name}'`, client);
      const changes = [{ word: 'client', value: known.peer } as const];
      const entry = { action: 'channel.disconnectClient', subject: channel.name, changes } as const;
      transaction<void>(db, (tx) => audit.record(tx, actor, entry));
    },
  };
}

async function ask(media: ClientDeps['media'], channelId: number, clientId: number): Promise<EngineReply> {
  try {
    return await media.request({ what: 'disconnect', channelId, clientId }, timing.engineCall.clientMs);
  } catch (error) {
    if (error instanceof MediaError) throw new HubError('noResponse', 'the media engine does not answer');
    throw error;
  }
}
