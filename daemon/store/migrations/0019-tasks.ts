import type { Migration } from '../migrate.ts';

/** Long work, with its progress and the results of its items. */
export const tasks: Migration = {
  version: 19,
  name: 'tasks',
  sql: `
CREATE TABLE tasks (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  owner_id INTEGER NOT NULL,
  ended_at INTEGER NOT NULL,
  task TEXT NOT NULL,
  data TEXT
) STRICT;
CREATE INDEX tasks_by_end ON tasks (ended_at, id);
CREATE TABLE task_items (
  task_id INTEGER NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  item TEXT NOT NULL,
  PRIMARY KEY (task_id, position)
) STRICT, WITHOUT ROWID;
`,
};
