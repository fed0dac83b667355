import type { Migration } from '../migrate.ts';

/** Addresses of TS over UDP (protocol 4) contain the accepted sender. */
export const multicastSource: Migration = {
  version: 3,
  name: 'multicast-source',
  sql: `
UPDATE inputs SET config = json_set(config, '$.source', '') WHERE protocol = 4;
UPDATE outputs SET config = json_set(config, '$.source', '') WHERE protocol = 4;
`,
};
