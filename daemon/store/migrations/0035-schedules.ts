import type { Migration } from '../migrate.ts';

/** Devices act at a time. */
export const schedules: Migration = {
  version: 35,
  name: 'schedules',
  sql: `
CREATE TABLE schedules (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  name TEXT NOT NULL UNIQUE,
  enabled INTEGER NOT NULL,
  action TEXT NOT NULL,
  start TEXT,
  stop TEXT,
  days TEXT NOT NULL,
  date TEXT,
  devices TEXT NOT NULL,
  owner_id INTEGER NOT NULL,
  owner TEXT NOT NULL,
  handled_until INTEGER NOT NULL,
  last TEXT,
  created_at INTEGER NOT NULL,
  revision INTEGER NOT NULL DEFAULT 1
) STRICT;
`,
};
