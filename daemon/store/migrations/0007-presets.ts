import type { Migration } from '../migrate.ts';

/** Addresses of inputs and outputs, stored by name. */
export const presets: Migration = {
  version: 7,
  name: 'presets',
  sql: `
CREATE TABLE presets (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  name TEXT NOT NULL,
  dir INTEGER NOT NULL,
  protocol INTEGER NOT NULL,
  config TEXT NOT NULL,
  secret TEXT,
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX presets_by_name ON presets (dir, name);
INSERT INTO sqlite_sequence (name, seq) VALUES ('presets', 22000);
`,
};
