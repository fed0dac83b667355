import type { Migration } from '../migrate.ts';

/** Named destinations that outputs are made from. */
export const servers: Migration = {
  version: 6,
  name: 'servers',
  sql: `
CREATE TABLE servers (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  name TEXT NOT NULL UNIQUE,
  type INTEGER NOT NULL,
  config TEXT NOT NULL,
  secret TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
INSERT INTO sqlite_sequence (name, seq) VALUES ('servers', 21000);
`,
};
