import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { ScheduleAction } from '../contract/schedule-fields.ts';
import type { StoredRun } from '../contract/schedules.ts';

/** Devices that act at a time. */
export const schedules = sqliteTable('schedules', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  name: text('name').notNull(),
  enabled: integer('enabled', { mode: 'boolean' }).notNull(),
  action: text('action').$type<ScheduleAction>().notNull(),
  /** `HH:MM`; null if that part is not done. */
  start: text('start'),
  stop: text('stop'),
  /** Days of the week, 1 to 7. */
  days: text('days', { mode: 'json' }).$type<number[]>().notNull(),
  /** `YYYY-MM-DD` instead of days. */
  date: text('date'),
  /** Serial numbers. */
  devices: text('devices', { mode: 'json' }).$type<string[]>().notNull(),
  /** 0 if the owner was deleted. */
  ownerId: integer('owner_id').notNull(),
  owner: text('owner').notNull(),
  /** The access token that it was saved with; 0: none. */
  tokenId: integer('token_id').notNull().default(0),
  /** Runs that were planned for this time or before, in milliseconds since 1970, are not started any more. */
  handledUntil: integer('handled_until').notNull(),
  last: text('last', { mode: 'json' }).$type<StoredRun>(),
  createdAt: integer('created_at').notNull(),
  /** Only revisions.ts changes it. */
  revision: integer('revision').notNull().default(1),
});
