/** Puts the main or the backup input on air: an operator's choice, which the engine carries out immediately. */

import type { Actor } from '../../http/route.ts';
import { HubError } from '../../lib/hub-error.ts';
import { MediaError } from '../../media/engine-link.ts';
import type { MediaPort } from '../../media/port.ts';
import type { EngineReply } from '../../media/protocol/messages.ts';
import { type Database, transaction } from '../../store/database.ts';
import { timing } from '../../timing.ts';
import type { Audit } from '../logs/audit.ts';
import { existingChannel } from './existing-channel.ts';

interface SwitchDeps {
  readonly db: Database;
  readonly audit: Audit;
  readonly media: Pick<MediaPort, 'request'>;
}
export interface InputSwitch {
  readonly id: number;
  readonly to: 'main' | 'backup';
}

export async function switchInput({ db, audit, media }: SwitchDeps, actor: Actor, of: InputSwitch): Promise<void> {
  const { name, backupInputId } = existingChannel(db, of.id);
  if (backupInputId === null) throw noBackup(name);
  const reply = await ask(media, of);
  if (reply.what === 'error') throw refusal(reply.text, name);
  transaction<void>(db, (tx) => {
    const changes = [{ word: 'switchedTo', value: of.to }] as const;
    audit.record(tx, actor, { action: 'channel.switchInput', subject: name, changes });
  });
}

async function ask(media: SwitchDeps['media'], { id, to }: InputSwitch): Promise<EngineReply> {
  try {
    return await media.request({ what: 'switch', channelId: id, to }, timing.engineCall.switchMs);
  } catch (error) {
    if (error instanceof MediaError) throw new HubError('noResponse', 'the media engine does not answer');
    throw error;
  }
}

function noBackup(channel: string): HubError {
  return new HubError('notExist', `'${channel}' has no backup input`, { params: { what: 'backup' } });
}

function refusal(text: string, channel: string): HubError {
  if (text === 'noBackup') return noBackup(channel);
  const why = text === 'notReady' ? 'that input brings nothing now' : text;
  return new HubError('wrongState', why, { params: { what: 'input' } });
}
