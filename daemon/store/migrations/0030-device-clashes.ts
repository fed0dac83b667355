import type { Migration } from '../migrate.ts';

/** Devices that state the serial number of a known one, until somebody decides. */
export const deviceClashes: Migration = {
  version: 30,
  name: 'device clashes',
  sql: `
CREATE TABLE device_clashes (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  device_id INTEGER NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
  link TEXT NOT NULL,
  mark TEXT NOT NULL,
  address TEXT NOT NULL,
  api TEXT NOT NULL,
  name TEXT NOT NULL,
  model TEXT NOT NULL,
  user TEXT NOT NULL,
  password TEXT,
  pin TEXT NOT NULL,
  first_seen INTEGER NOT NULL,
  last_seen INTEGER NOT NULL,
  count INTEGER NOT NULL,
  kept INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX device_clashes_by_mark ON device_clashes (device_id, link, mark);
`,
};
