import type { Migration } from '../migrate.ts';

/** A second input of a channel, when it takes over, and the file of the picture that stands in for both. */
export const failover: Migration = {
  version: 8,
  name: 'failover',
  sql: `
ALTER TABLE channels ADD COLUMN backup_input_id INTEGER REFERENCES inputs (id) ON DELETE SET NULL;
ALTER TABLE channels ADD COLUMN failover TEXT;
ALTER TABLE channels ADD COLUMN slate TEXT;
CREATE INDEX channels_by_backup_input ON channels (backup_input_id);
`,
};
