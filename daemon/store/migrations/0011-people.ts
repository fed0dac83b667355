import type { Migration } from '../migrate.ts';

/** Nicknames, revisions that detect concurrent edits by administrators, access tokens, and user agents of sessions. */
export const people: Migration = {
  version: 11,
  name: 'people',
  sql: `
ALTER TABLE users ADD COLUMN nick TEXT NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN revision INTEGER NOT NULL DEFAULT 1;
ALTER TABLE user_groups ADD COLUMN revision INTEGER NOT NULL DEFAULT 1;
ALTER TABLE sessions ADD COLUMN agent TEXT NOT NULL DEFAULT '';
ALTER TABLE operation_log ADD COLUMN via TEXT NOT NULL DEFAULT '';

CREATE TABLE access_tokens (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  name TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  permission_mask INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  last_used_at INTEGER,
  last_address TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX access_tokens_by_user ON access_tokens (user_id);
`,
};
