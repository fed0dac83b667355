/** Tables of the NDI router; part of the schema. */
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { NdiPreset } from '../contract/ndi-presets.ts';
import type { LockKind, SalvoPolicy } from '../contract/ndi-router-words.ts';

const revision = () => integer('revision').notNull().default(1);

export interface StoredSalvoChange {
  readonly out: number;
  readonly from: number | null;
  readonly to: number | null;
}

/** One row, with the id 1; none before the first change. */
export const ndiRouter = sqliteTable('ndi_router', {
  id: integer('id').primaryKey(),
  baseName: text('base_name').notNull(),
  inputs: integer('inputs').notNull(),
  outputs: integer('outputs').notNull(),
  autoFill: integer('auto_fill', { mode: 'boolean' }).notNull(),
  /** What a user can undo at once. */
  lastSalvo: text('last_salvo', { mode: 'json' }).$type<{
    readonly name: string;
    readonly by: string;
    readonly time: number;
    readonly changes: readonly StoredSalvoChange[];
  }>(),
  revision: revision(),
});

/** Inputs that have been changed; the others are empty. */
export const ndiInputs = sqliteTable('ndi_inputs', {
  /** Its number. */
  id: integer('id').primaryKey(),
  label: text('label').notNull(),
  source: text('source'),
  group: text('group_name').notNull(),
  address: text('address').notNull(),
  failover: integer('failover'),
  /** When the source was on the network last. */
  lastSeen: integer('last_seen'),
  revision: revision(),
});

export const ndiOutputs = sqliteTable('ndi_outputs', {
  /** Its number. */
  id: integer('id').primaryKey(),
  name: text('name').notNull(),
  label: text('label').notNull(),
  group: text('group_name').notNull(),
  failoverWhenLocked: integer('failover_when_locked', { mode: 'boolean' }).notNull(),
  slot: integer('slot'),
  /** Only if it can be undone. */
  previous: integer('previous'),
  canUndo: integer('can_undo', { mode: 'boolean' }).notNull(),
  lock: text('lock', { mode: 'json' }).$type<{
    readonly by: LockKind;
    readonly userId: number;
    readonly owner: string;
  }>(),
  revision: revision(),
});

export const ndiSalvos = sqliteTable('ndi_salvos', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  name: text('name').notNull().unique(),
  policy: text('policy').$type<SalvoPolicy>().notNull(),
  routes: text('routes', { mode: 'json' })
    .$type<readonly { readonly out: number; readonly in: number | null }[]>()
    .notNull(),
  createdAt: integer('created_at').notNull(),
  revision: revision(),
});

/** Sources by name, to fill inputs from. */
export const ndiPresets = sqliteTable('ndi_presets', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  name: text('name').notNull().unique(),
  config: text('config', { mode: 'json' }).$type<Omit<NdiPreset, 'id' | 'name'>>().notNull(),
});
