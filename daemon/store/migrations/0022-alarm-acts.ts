import type { Migration } from '../migrate.ts';

/** Who has seen an alarm, and until when alarms are muted. */
export const alarmActs: Migration = {
  version: 22,
  name: 'alarm-acts',
  sql: `
ALTER TABLE alarms ADD COLUMN seen_by TEXT NOT NULL DEFAULT '';
ALTER TABLE alarms ADD COLUMN seen_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE alarms ADD COLUMN muted_until INTEGER;
CREATE TABLE alarm_mutes (
  channel_id INTEGER PRIMARY KEY NOT NULL,
  until INTEGER NOT NULL
);
`,
};
