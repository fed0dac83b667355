/** The queries that are the same for every table with an id. */
import { asc, count, eq, inArray } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { limits } from '../contract/limits.ts';
import { notExist, tooMany } from '../lib/refusals.ts';
import type { Queries } from './database.ts';
import {
  channels,
  deviceGroups,
  devices,
  inputs,
  outputs,
  presets,
  schedules,
  servers,
  userGroups,
  users,
} from './schema.ts';

export type TableWithId = SQLiteTable & { readonly id: SQLiteColumn };
export type Rows<T extends TableWithId> = ReturnType<typeof rowsOf<T>>;

/** `noun` is the name of an object of the table in error messages. */
export function rowsOf<T extends TableWithId>(table: T, noun: string) {
  type Row = T['$inferSelect'];
  const source: TableWithId = table;
  const withIds = (ids: readonly number[]) => inArray(source.id, [...ids]);

  const find = (db: Queries, id: number): Row | undefined =>
    db.select().from(source).where(eq(source.id, id)).get() as Row | undefined;

  return {
    find,
    /** Throws `notExist` for an unknown id. */
    existing(db: Queries, id: number): Row {
      const row = find(db, id);
      if (row === undefined) throw notExist(noun, id);
      return row;
    },
    /** The same by name, for a request without an id; throws `notExist` for neither. */
    existingBy(db: Queries, { id, name = '' }: { id?: number | undefined; name?: string | undefined }): Row {
      if (id !== undefined) return this.existing(db, id);
      const row = (this.list(db) as (Row & { name: string })[]).find((each) => each.name === name);
      if (row === undefined) throw notExist(noun, name);
      return row;
    },
    /** Returns the rows in order of creation. Throws `notExist` for the first unknown id. */
    allExisting(db: Queries, ids: readonly number[]): Row[] {
      const rows: Row[] = db.select().from(source).where(withIds(ids)).orderBy(asc(source.id)).all();
      const missing = ids.find((id) => !rows.some((row) => row.id === id));
      if (missing !== undefined) throw notExist(noun, missing);
      return rows;
    },
    /** Returns all rows in order of creation. */
    list: (db: Queries): Row[] => db.select().from(source).orderBy(asc(source.id)).all(),
    count: (db: Queries): number => db.select({ count: count() }).from(source).get()?.count ?? 0,
    /** Returns the id of the new row. */
    insert: (db: Queries, row: T['$inferInsert']): number =>
      db.insert(source).values(row).returning({ id: source.id }).get().id as number,
    update: (db: Queries, id: number, change: Partial<Row>): void =>
      db.update(source).set(change).where(eq(source.id, id)).run(),
    delete: (db: Queries, ids: readonly number[]): void => db.delete(source).where(withIds(ids)).run(),
  };
}

/** Deleting channels keeps their outputs, which then belong to no channel. */
export const channelRows = rowsOf(channels, 'channel');
/** Channels whose input is deleted wait for a publisher with their push key, or no longer have a backup. */
export const inputRows = rowsOf(inputs, 'input');
export const outputRows = rowsOf(outputs, 'output');
export const serverRows = rowsOf(servers, 'server');
/** There are at most 6, the built-in ones first. */
export const groupRows = rowsOf(userGroups, 'user group');
export const deviceGroupRows = rowsOf(deviceGroups, 'device group');
export const deviceRows = rowsOf(devices, 'device');
export const presetRows = rowsOf(presets, 'preset');
export const scheduleRows = rowsOf(schedules, 'schedule');

/** The user of a session or token, from `users` joined with `userGroups`. */
export const signedInUser = {
  id: users.id,
  name: users.name,
  groupId: userGroups.id,
  groupName: userGroups.name,
  permission: userGroups.permissionMask,
  type: userGroups.type,
};

/** Throws `tooMany` if the channel has as many outputs as possible. */
export function refuseFullChannel(db: Queries, channelId: number): void {
  const { outputsPerChannel: limit } = limits;
  const row = db.select({ count: count() }).from(outputs).where(eq(outputs.channelId, channelId)).get();
  if ((row?.count ?? 0) >= limit) throw tooMany('outputs of a channel', limit);
}
