import type { Migration } from '../migrate.ts';

/** SRT addresses (protocol 2) contain the maximum number of connections of a listener. */
export const listenerRoom: Migration = {
  version: 4,
  name: 'listener-room',
  sql: `
UPDATE inputs SET config = json_set(config, '$.maxConnections', 30) WHERE protocol = 2;
UPDATE outputs SET config = json_set(config, '$.maxConnections', 30) WHERE protocol = 2;
`,
};
