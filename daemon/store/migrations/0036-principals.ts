import type { Migration } from '../migrate.ts';

/**
 * Tasks and schedules end with the access token that ordered them. Names of schedules are no longer unique, because that
 * would tell users the names of schedules that they may not see.
 */
export const principals: Migration = {
  version: 36,
  name: 'principals',
  sql: `
ALTER TABLE tasks ADD COLUMN token_id INTEGER NOT NULL DEFAULT 0;
CREATE TABLE schedules_new (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  name TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  action TEXT NOT NULL,
  start TEXT,
  stop TEXT,
  days TEXT NOT NULL,
  date TEXT,
  devices TEXT NOT NULL,
  owner_id INTEGER NOT NULL,
  owner TEXT NOT NULL,
  token_id INTEGER NOT NULL DEFAULT 0,
  handled_until INTEGER NOT NULL,
  last TEXT,
  created_at INTEGER NOT NULL,
  revision INTEGER NOT NULL DEFAULT 1
) STRICT;
INSERT INTO schedules_new (id, name, enabled, action, start, stop, days, date, devices, owner_id, owner, handled_until, last, created_at, revision)
  SELECT id, name, enabled, action, start, stop, days, date, devices, owner_id, owner, handled_until, last, created_at, revision FROM schedules;
DELETE FROM sqlite_sequence WHERE name = 'schedules_new';
INSERT INTO sqlite_sequence (name, seq) SELECT 'schedules_new', seq FROM sqlite_sequence WHERE name = 'schedules';
DROP TABLE schedules;
ALTER TABLE schedules_new RENAME TO schedules;
`,
};
