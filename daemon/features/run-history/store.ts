import { and, desc, eq, inArray, lt, max, sql } from 'drizzle-orm';
import type { RunPart } from '../../contract/streams.ts';
import type { Queries } from '../../store/database.ts';
import { channels, runEvents } from '../../store/schema.ts';

export type RunRow = typeof runEvents.$inferSelect;
export type NewRunRow = Omit<RunRow, 'id'>;

export interface RunPage {
  readonly channelId: number;
  readonly what: RunPart | undefined;
  /** Only events older than this id. */
  readonly before: number | undefined;
  readonly count: number;
}

export function listRunEvents(db: Queries, { channelId, what, before, count }: RunPage): RunRow[] {
  const where = and(
    eq(runEvents.channelId, channelId),
    what === undefined ? undefined : eq(runEvents.what, what),
    before === undefined ? undefined : lt(runEvents.id, before),
  );
  return db.select().from(runEvents).where(where).orderBy(desc(runEvents.id)).limit(count).all();
}

/** Returns the newest event of each part of each channel. */
export function lastRunEvents(db: Queries): RunRow[] {
  const newest = db
    .select({ id: max(runEvents.id) })
    .from(runEvents)
    .groupBy(runEvents.channelId, runEvents.what, runEvents.outputId);
  return db.select().from(runEvents).where(inArray(runEvents.id, newest)).all();
}

/** A statement takes a limited number of values. */
const rowsAtOnce = 500;

/** Skips events of deleted channels. */
export function insertRunEvents(db: Queries, rows: readonly NewRunRow[]): void {
  const known = new Set(
    db
      .select({ id: channels.id })
      .from(channels)
      .all()
      .map(({ id }) => id),
  );
  const kept = rows.filter(({ channelId }) => known.has(channelId));
  for (let from = 0; from < kept.length; from += rowsAtOnce) {
    db.insert(runEvents)
      .values(kept.slice(from, from + rowsAtOnce))
      .run();
  }
}

/** Keeps the newest `max` of a channel. One statement, because a burst of events affects hundreds of channels. */
export function trimRunEvents(db: Queries, channelId: number, max: number): void {
  const ids = sql`SELECT id FROM run_events WHERE channel_id = ${channelId} ORDER BY id DESC LIMIT 1 OFFSET ${max}`;
  db.run(sql`DELETE FROM run_events WHERE channel_id = ${channelId} AND id <= (${ids})`);
}

export function deleteRunEventsBefore(db: Queries, time: number): void {
  db.delete(runEvents).where(lt(runEvents.time, time)).run();
}
