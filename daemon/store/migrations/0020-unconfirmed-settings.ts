import type { Migration } from '../migrate.ts';

/** Changes of settings that are reverted unless they are confirmed. */
export const unconfirmedSettings: Migration = {
  version: 20,
  name: 'unconfirmed-settings',
  sql: `
CREATE TABLE unconfirmed_settings (
  name TEXT PRIMARY KEY NOT NULL,
  previous TEXT,
  deadline INTEGER NOT NULL
) STRICT;
`,
};
