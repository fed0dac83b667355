import { asc, count, eq, inArray } from 'drizzle-orm';
import type { Queries } from '../../store/database.ts';
import { channels, inputs, outputs } from '../../store/schema.ts';

export type ChannelRow = typeof channels.$inferSelect;
export type NewChannelRow = Omit<ChannelRow, 'id' | 'revision'>;
export type InputRow = typeof inputs.$inferSelect;
export type OutputRow = typeof outputs.$inferSelect;

export function listChannels(db: Queries): ChannelRow[] {
  return db.select().from(channels).orderBy(asc(channels.id)).all();
}

export function findChannels(db: Queries, ids: readonly number[]): ChannelRow[] {
  return db
    .select()
    .from(channels)
    .where(inArray(channels.id, [...ids]))
    .orderBy(asc(channels.id))
    .all();
}

export function countChannels(db: Queries): number {
  return db.select({ count: count() }).from(channels).get()?.count ?? 0;
}

export function insertChannel(db: Queries, channel: NewChannelRow): number {
  return db.insert(channels).values(channel).returning({ id: channels.id }).get().id;
}

export function updateChannel(db: Queries, id: number, change: Partial<NewChannelRow>): void {
  db.update(channels).set(change).where(eq(channels.id, id)).run();
}

/** Their outputs are kept without a channel. */
export function deleteChannels(db: Queries, ids: readonly number[]): void {
  db.delete(channels)
    .where(inArray(channels.id, [...ids]))
    .run();
}

export function listInputs(db: Queries): InputRow[] {
  return db.select().from(inputs).orderBy(asc(inputs.id)).all();
}

export function findInput(db: Queries, id: number): InputRow | undefined {
  return db.select().from(inputs).where(eq(inputs.id, id)).get();
}

export function listOutputs(db: Queries): OutputRow[] {
  return db.select().from(outputs).orderBy(asc(outputs.id)).all();
}

export function findOutput(db: Queries, id: number): OutputRow | undefined {
  return db.select().from(outputs).where(eq(outputs.id, id)).get();
}

export function countOutputsOf(db: Queries, channelId: number): number {
  return db.select({ count: count() }).from(outputs).where(eq(outputs.channelId, channelId)).get()?.count ?? 0;
}

export function updateOutput(
  db: Queries,
  id: number,
  change: { readonly channelId?: number | null; readonly enabled?: boolean },
): void {
  db.update(outputs).set(change).where(eq(outputs.id, id)).run();
}
