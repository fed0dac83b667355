import { notExist } from '../../lib/refusals.ts';
import type { Queries } from '../../store/database.ts';
import { type Edited, refuseStale } from '../../store/revisions.ts';
import { type ChannelRow, findChannels } from './store.ts';

export function existingChannel(db: Queries, id: number): ChannelRow {
  const [row] = findChannels(db, [id]);
  if (!row) throw notExist('channel', id);
  return row;
}

export function channelEdit(id: number): Edited {
  return { noun: 'channel', id };
}

/** The same for a change; throws if it is based on an older revision. */
export function unchangedChannel(tx: Queries, id: number, basedOn: number | undefined): ChannelRow {
  const row = existingChannel(tx, id);
  refuseStale(tx, channelEdit(id), row.name, basedOn);
  return row;
}
