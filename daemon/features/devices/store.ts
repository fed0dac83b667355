import { and, eq, inArray, ne, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { DeviceConnection } from '../../contract/device-fields.ts';
import type { Masks } from '../../http/object-access.ts';
import type { Queries } from '../../store/database.ts';
import type { Edited } from '../../store/revisions.ts';
import { channels, deviceGroups, devices, settings, userGroups, users } from '../../store/schema.ts';

export type DeviceRow = typeof devices.$inferSelect;
export type DeviceGroupRow = typeof deviceGroups.$inferSelect;

/** All bits, also those of users and groups that do not exist yet. */
export const everyone = 0xffffffff;

/** What applies to all devices that have nothing of their own. */
export interface GlobalDevices {
  readonly masks: Masks;
  readonly connection: DeviceConnection;
}

const initial: GlobalDevices = { masks: { groupMask: everyone, userMask: everyone }, connection: {} };
const settingsName = 'devices';

export const globalEdit: Edited = { noun: 'settings', id: settingsName };
export const deviceEdit = (id: number): Edited => ({ noun: 'device', id });
export const groupEdit = (id: number): Edited => ({ noun: 'deviceGroup', id });

export function readGlobal(db: Queries): GlobalDevices {
  const row = db.select({ value: settings.value }).from(settings).where(eq(settings.name, settingsName)).get();
  return row === undefined ? initial : (JSON.parse(row.value) as GlobalDevices);
}

export function writeGlobal(db: Queries, value: GlobalDevices): void {
  const text = JSON.stringify(value);
  db.insert(settings)
    .values({ name: settingsName, value: text })
    .onConflictDoUpdate({ target: settings.name, set: { value: text } })
    .run();
}

/** SQLite takes no more parameters than this in one statement by default; a fleet has fewer devices. */
const maxParameters = 30_000;

/** Returns the devices with these serial numbers, in order of creation. */
export function devicesOf(db: Queries, sns: readonly string[]): DeviceRow[] {
  if (sns.length > maxParameters) throw new Error('too many serial numbers');
  return db
    .select()
    .from(devices)
    .where(inArray(devices.sn, [...sns]))
    .orderBy(devices.id)
    .all();
}

export function deviceBySn(db: Queries, sn: string): DeviceRow | undefined {
  return db.select().from(devices).where(eq(devices.sn, sn)).get();
}

export function updateDevices(db: Queries, ids: readonly number[], change: Partial<DeviceRow>): void {
  db.update(devices)
    .set(change)
    .where(inArray(devices.id, [...ids]))
    .run();
}

/** The devices publish to no channel and play none. */
export function detachDevices(db: Queries, ids: readonly number[]): void {
  db.update(channels)
    .set({ inputDeviceId: null })
    .where(inArray(channels.inputDeviceId, [...ids]))
    .run();
  updateDevices(db, ids, { playsChannelId: null });
}

/** Returns the names behind the bits of the masks, and the bits that belong to nobody. */
export function namesOfMasks(db: Queries, { groupMask, userMask }: Masks) {
  const named = (mask: number, all: readonly { readonly id: number; readonly name: string }[]) =>
    all.filter(({ id }) => (mask & id) !== 0);
  const ofGroups = named(groupMask, db.select({ id: userGroups.id, name: userGroups.name }).from(userGroups).all());
  const ofUsers = named(userMask, db.select({ id: users.id, name: users.name }).from(users).all());
  const sum = (list: readonly { readonly id: number }[]) => list.reduce((mask, { id }) => (mask | id) >>> 0, 0);
  return {
    names: [...ofGroups, ...ofUsers].map(({ name }) => name),
    known: { groupMask: sum(ofGroups), userMask: sum(ofUsers) },
  };
}

/** Removes the bit of a deleted user or user group: the next one may get it. Masks of everyone stay as they are. */
export function clearBits(db: Queries, gone: { readonly userId?: number; readonly groupId?: number }): void {
  const { userId = 0, groupId = 0 } = gone;
  const without = (column: SQLiteColumn, bit: number) => sql`${column} & ~${bit}`;
  for (const table of [devices, deviceGroups]) {
    const cleared = (column: SQLiteColumn, bit: number) => and(ne(column, everyone), sql`(${column} & ${bit}) <> 0`);
    db.update(table)
      .set({ userMask: without(table.userMask, userId) })
      .where(cleared(table.userMask, userId))
      .run();
    db.update(table)
      .set({ groupMask: without(table.groupMask, groupId) })
      .where(cleared(table.groupMask, groupId))
      .run();
  }
  db.update(devices)
    .set({ favorites: without(devices.favorites, userId) })
    .where(sql`(${devices.favorites} & ${userId}) <> 0`)
    .run();
  const { masks, connection } = readGlobal(db);
  const clear = (mask: number, bit: number) => (mask === everyone ? mask : (mask & ~bit) >>> 0);
  const next = { groupMask: clear(masks.groupMask, groupId), userMask: clear(masks.userMask, userId) };
  if (next.groupMask !== masks.groupMask || next.userMask !== masks.userMask) {
    writeGlobal(db, { masks: next, connection });
  }
}
