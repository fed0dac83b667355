import type { Queries } from '../../store/database.ts';
import { type Edited, refuseStale } from '../../store/revisions.ts';
import { channelRows } from '../../store/rows.ts';
import type { channels, inputs, outputs } from '../../store/schema.ts';

export type ChannelRow = typeof channels.$inferSelect;
export type NewChannelRow = Omit<ChannelRow, 'id' | 'revision'>;
export type InputRow = typeof inputs.$inferSelect;
export type OutputRow = typeof outputs.$inferSelect;

export function channelEdit(id: number): Edited {
  return { noun: 'channel', id };
}

/** Returns a channel that is about to change; throws `stateChanged` if the change is based on an older revision. */
export function unchangedChannel(tx: Queries, id: number, basedOn: number | undefined): ChannelRow {
  const row = channelRows.existing(tx, id);
  refuseStale(tx, channelEdit(id), row.name, basedOn);
  return row;
}
