import type { Migration } from '../migrate.ts';

/** Ports of the hub that lead to ports of devices. */
export const forwards: Migration = {
  version: 33,
  name: 'forwards',
  sql: `
CREATE TABLE forwards (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  device_id INTEGER NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  remote_port INTEGER NOT NULL,
  local_port INTEGER NOT NULL,
  address TEXT NOT NULL,
  is_permanent INTEGER NOT NULL,
  idle_minutes INTEGER NOT NULL,
  is_started INTEGER NOT NULL DEFAULT 0,
  reason TEXT,
  open_port INTEGER NOT NULL DEFAULT 0,
  owner_id INTEGER NOT NULL DEFAULT 0,
  token_id INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  revision INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE TABLE forward_ports (
  device_id INTEGER PRIMARY KEY NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
  ports TEXT NOT NULL
) STRICT;
`,
};
