import type { Migration } from '../migrate.ts';

/** Whether a new publisher replaces one that is still sending. */
export const takeover: Migration = {
  version: 17,
  name: 'takeover',
  sql: `
ALTER TABLE channels ADD COLUMN takeover INTEGER NOT NULL DEFAULT 0;
`,
};
