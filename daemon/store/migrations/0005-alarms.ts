import type { Migration } from '../migrate.ts';

/** Alarms, the rules that raise them, and the pending deliveries of their webhook. */
export const alarms: Migration = {
  version: 5,
  name: 'alarms',
  sql: `
CREATE TABLE alarms (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  kind TEXT NOT NULL,
  channel_id INTEGER NOT NULL,
  channel_name TEXT NOT NULL,
  output_id INTEGER NOT NULL,
  output_name TEXT NOT NULL,
  threshold REAL NOT NULL,
  peak REAL NOT NULL,
  raised_at INTEGER NOT NULL,
  cleared_at INTEGER
) STRICT;
CREATE INDEX alarms_by_channel ON alarms (channel_id);
CREATE INDEX alarms_by_end ON alarms (cleared_at);

CREATE TABLE alarm_rules (
  channel_id INTEGER PRIMARY KEY NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
  rules TEXT NOT NULL
) STRICT;

CREATE TABLE alarm_webhook (
  id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
  enabled INTEGER NOT NULL,
  url TEXT NOT NULL,
  secret TEXT,
  dropped INTEGER NOT NULL,
  last TEXT
) STRICT;

CREATE TABLE alarm_deliveries (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  body TEXT NOT NULL
) STRICT;
`,
};
