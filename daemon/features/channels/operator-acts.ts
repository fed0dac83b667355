/** What an operator does while a channel runs: the engine carries it out, then the operation log records the user. */
import type { channelApi } from '../../contract/channels.ts';
import type { BodyOf } from '../../contract/endpoint.ts';
import type { OperationChange } from '../../contract/logs.ts';
import type { Actor } from '../../http/route.ts';
import { HubError } from '../../lib/hub-error.ts';
import { notExist } from '../../lib/refusals.ts';
import { askEngine } from '../../media/ask-engine.ts';
import type { MediaPort } from '../../media/port.ts';
import { type Database, transaction } from '../../store/database.ts';
import { channelRows } from '../../store/rows.ts';
import { timing } from '../../timing.ts';
import type { Audit } from '../logs/audit.ts';

interface OperatorDeps {
  readonly db: Database;
  readonly audit: Audit;
  readonly media: Pick<MediaPort, 'status' | 'request'>;
}

export type OperatorActs = ReturnType<typeof createOperatorActs>;

export function createOperatorActs({ db, audit, media }: OperatorDeps) {
  const record = (actor: Actor, action: string, subject: string, change: OperationChange) =>
    transaction<void>(db, (tx) => audit.record(tx, actor, { action, subject, changes: [change] }));
  /** By channel, of the last switch by hand. */
  const switchers = new Map<number, string>();
  return {
    switchedBy: (channelId: number): string | undefined => switchers.get(channelId),
    /** Disconnects one client, which may reconnect. */
    async disconnectClient(actor: Actor, { id, client }: BodyOf<typeof channelApi.disconnectClient>): Promise<void> {
      const { name } = channelRows.existing(db, id);
      const known = media
        .status()
        .channels.get(id)
        ?.clients.find((one) => one.id === client);
      if (!known) throw notExist(`client of '${name}'`, client);
      const request = { what: 'disconnect', channelId: id, clientId: client } as const;
      const reply = await askEngine(media, request, timing.engineCall.clientMs);
      // The client left in the meantime: nothing was done, so nothing is logged.
      if (reply.what !== 'done') throw notExist(`client of '${name}'`, client);
      record(actor, 'channel.disconnectClient', name, { word: 'client', value: known.peer });
    },
    /** Puts the main or the backup input on air. */
    async switchInput(actor: Actor, { id, to }: BodyOf<typeof channelApi.switchInput>): Promise<void> {
      const { name, backupInputId } = channelRows.existing(db, id);
      if (backupInputId === null) throw noBackup(name);
      // Before the engine reports the switch.
      switchers.set(id, actor.name);
      const reply = await askEngine(media, { what: 'switch', channelId: id, to }, timing.engineCall.switchMs);
      if (reply.what === 'error') throw switchRefusal(reply.text, name);
      record(actor, 'channel.switchInput', name, { word: 'switchedTo', value: to });
    },
  };
}

function noBackup(channel: string): HubError {
  return new HubError('notExist', `'${channel}' has no backup input`, { params: { what: 'backup' } });
}

function switchRefusal(text: string, channel: string): HubError {
  if (text === 'noBackup') return noBackup(channel);
  const why = text === 'notReady' ? 'that input brings nothing now' : text;
  return new HubError('wrongState', why, { params: { what: 'input' } });
}
