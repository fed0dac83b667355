import { notExist } from '../../lib/refusals.ts';
import type { Queries } from '../../store/database.ts';
import { type ChannelRow, findChannels } from './store.ts';

export function existingChannel(db: Queries, id: number): ChannelRow {
  const [row] = findChannels(db, [id]);
  if (!row) throw notExist('channel', id);
  return row;
}
