import type { Migration } from '../migrate.ts';

/** Sessions of wall displays, which do not end from inactivity. */
export const stayingSessions: Migration = {
  version: 23,
  name: 'staying-sessions',
  sql: 'ALTER TABLE sessions ADD COLUMN stays INTEGER NOT NULL DEFAULT 0;',
};
