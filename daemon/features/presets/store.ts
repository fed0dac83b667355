import { and, asc, count, eq, inArray } from 'drizzle-orm';
import type { PresetDirection } from '../../contract/presets.ts';
import type { Queries } from '../../store/database.ts';
import { inputs, outputs, presets } from '../../store/schema.ts';
import type { StoredAddress } from '../../store/stored-address.ts';

export type PresetRow = typeof presets.$inferSelect;

export function listPresets(db: Queries, dir: PresetDirection | undefined): PresetRow[] {
  const rows = db.select().from(presets).orderBy(asc(presets.id));
  return dir === undefined ? rows.all() : rows.where(eq(presets.dir, dir)).all();
}

export function findPresets(db: Queries, ids: readonly number[]): PresetRow[] {
  return db
    .select()
    .from(presets)
    .where(inArray(presets.id, [...ids]))
    .orderBy(asc(presets.id))
    .all();
}

export function findPresetByName(db: Queries, dir: PresetDirection, name: string): PresetRow | undefined {
  return db
    .select()
    .from(presets)
    .where(and(eq(presets.dir, dir), eq(presets.name, name)))
    .get();
}

export function countPresets(db: Queries): number {
  return db.select({ count: count() }).from(presets).get()?.count ?? 0;
}

export function insertPreset(db: Queries, preset: Omit<PresetRow, 'id'>): number {
  return db.insert(presets).values(preset).returning({ id: presets.id }).get().id;
}

export function updatePreset(db: Queries, id: number, address: StoredAddress): void {
  db.update(presets).set(address).where(eq(presets.id, id)).run();
}

export function deletePresets(db: Queries, ids: readonly number[]): void {
  db.delete(presets)
    .where(inArray(presets.id, [...ids]))
    .run();
}

/** Returns the stored address of an input or output; its secrets stay sealed. */
export function findSource(db: Queries, table: typeof inputs | typeof outputs, id: number) {
  const { protocol, config, secret } = table;
  return db.select({ protocol, config, secret }).from(table).where(eq(table.id, id)).get();
}

export const sourceTables = { input: inputs, output: outputs } as const;
