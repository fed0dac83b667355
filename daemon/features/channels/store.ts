import { eq } from 'drizzle-orm';
import type { Queries } from '../../store/database.ts';
import { type Edited, refuseStale } from '../../store/revisions.ts';
import { channelRows } from '../../store/rows.ts';
import { channels, devices, type inputs, type outputs } from '../../store/schema.ts';

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

/** The devices that are the input of a channel. */
export function publishingDevices(db: Queries) {
  return db
    .select({
      ...{ id: devices.id, name: devices.name, pushKey: devices.pushKey },
      ...{ stream: devices.stream, pulled: devices.pulled },
    })
    .from(devices)
    .innerJoin(channels, eq(channels.inputDeviceId, devices.id))
    .all();
}

/** Returns the device with this id. */
export function deviceById(db: Queries, id: number) {
  const columns = { name: devices.name, api: devices.api };
  return db.select(columns).from(devices).where(eq(devices.id, id)).get();
}

/** Channels that the device publishes to have their push key again. Returns their ids. */
export function releaseDevice(db: Queries, deviceId: number): number[] {
  const rows = db
    .update(channels)
    .set({ inputDeviceId: null })
    .where(eq(channels.inputDeviceId, deviceId))
    .returning({ id: channels.id })
    .all();
  return rows.map(({ id }) => id);
}
