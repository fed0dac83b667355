import type { Migration } from '../migrate.ts';

/** Firmware files of devices. */
export const firmwareFiles: Migration = {
  version: 31,
  name: 'firmware files',
  sql: `
CREATE TABLE firmware_files (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  name TEXT NOT NULL,
  product_id INTEGER NOT NULL,
  firmware_id INTEGER NOT NULL,
  hardware TEXT NOT NULL,
  version TEXT NOT NULL,
  size INTEGER NOT NULL,
  sha256 TEXT NOT NULL UNIQUE,
  file TEXT NOT NULL UNIQUE,
  uploaded_at INTEGER NOT NULL,
  uploaded_by TEXT NOT NULL,
  accepted_by TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX firmware_files_by_version ON firmware_files (product_id, hardware, version);
`,
};
