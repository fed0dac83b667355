import type { Migration } from '../migrate.ts';

/** State changes of a channel, its input and its outputs. */
export const runEvents: Migration = {
  version: 9,
  name: 'run-events',
  sql: `
CREATE TABLE run_events (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  channel_id INTEGER NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
  time INTEGER NOT NULL,
  what TEXT NOT NULL,
  output_id INTEGER NOT NULL,
  name TEXT NOT NULL,
  from_state TEXT NOT NULL,
  to_state TEXT NOT NULL,
  reason TEXT NOT NULL
) STRICT;
CREATE INDEX run_events_by_channel ON run_events (channel_id, id);
CREATE INDEX run_events_by_time ON run_events (time);
`,
};
