import type { Migration } from '../migrate.ts';

/** The backup input of a channel, its failover rule, and the file of the slate image. */
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
