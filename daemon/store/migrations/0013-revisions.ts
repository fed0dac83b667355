import type { Migration } from '../migrate.ts';

/** Objects that two users can edit at once get a revision, and log entries can be found by their object. */
export const revisions: Migration = {
  version: 13,
  name: 'revisions',
  sql: `
ALTER TABLE channels ADD COLUMN revision INTEGER NOT NULL DEFAULT 1;
ALTER TABLE inputs ADD COLUMN revision INTEGER NOT NULL DEFAULT 1;
ALTER TABLE outputs ADD COLUMN revision INTEGER NOT NULL DEFAULT 1;
ALTER TABLE servers ADD COLUMN revision INTEGER NOT NULL DEFAULT 1;
ALTER TABLE settings ADD COLUMN revision INTEGER NOT NULL DEFAULT 1;
ALTER TABLE alarm_rules ADD COLUMN revision INTEGER NOT NULL DEFAULT 1;
ALTER TABLE alarm_webhook ADD COLUMN revision INTEGER NOT NULL DEFAULT 1;

CREATE TABLE edits (
  object TEXT NOT NULL,
  revision INTEGER NOT NULL,
  entry_id INTEGER NOT NULL REFERENCES operation_log (id) ON DELETE CASCADE
) STRICT;
CREATE UNIQUE INDEX edits_by_object ON edits (object, revision);
CREATE INDEX edits_by_entry ON edits (entry_id);
`,
};
