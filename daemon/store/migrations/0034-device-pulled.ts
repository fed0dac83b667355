import type { Migration } from '../migrate.ts';

/** Streams of devices that the hub opens for channels. */
export const devicePulled: Migration = {
  version: 34,
  name: 'device pulled streams',
  sql: `
ALTER TABLE devices ADD COLUMN pulled TEXT;
`,
};
