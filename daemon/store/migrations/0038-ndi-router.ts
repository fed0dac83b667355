import type { Migration } from '../migrate.ts';

/** The NDI router: without a row in `ndi_router`, it was never changed and has its defaults. */
export const ndiRouter: Migration = {
  version: 38,
  name: 'ndi-router',
  sql: `
CREATE TABLE ndi_router (
  id INTEGER PRIMARY KEY NOT NULL,
  base_name TEXT NOT NULL,
  inputs INTEGER NOT NULL,
  outputs INTEGER NOT NULL,
  auto_fill INTEGER NOT NULL,
  last_salvo TEXT,
  revision INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE TABLE ndi_inputs (
  id INTEGER PRIMARY KEY NOT NULL,
  label TEXT NOT NULL,
  source TEXT,
  group_name TEXT NOT NULL,
  address TEXT NOT NULL,
  failover INTEGER,
  last_seen INTEGER,
  revision INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE TABLE ndi_outputs (
  id INTEGER PRIMARY KEY NOT NULL,
  name TEXT NOT NULL,
  label TEXT NOT NULL,
  group_name TEXT NOT NULL,
  failover_when_locked INTEGER NOT NULL,
  slot INTEGER,
  previous INTEGER,
  can_undo INTEGER NOT NULL,
  lock TEXT,
  revision INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE TABLE ndi_salvos (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  name TEXT NOT NULL UNIQUE,
  policy TEXT NOT NULL,
  routes TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  revision INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE TABLE ndi_presets (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  name TEXT NOT NULL UNIQUE,
  config TEXT NOT NULL
) STRICT;
`,
};
