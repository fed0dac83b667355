import type { Migration } from '../migrate.ts';

/** Devices that are streams. */
export const streamDevices: Migration = {
  version: 27,
  name: 'stream devices',
  sql: `
ALTER TABLE devices ADD COLUMN stream TEXT;
`,
};
