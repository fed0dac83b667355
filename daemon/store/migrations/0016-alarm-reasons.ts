import type { Migration } from '../migrate.ts';

/** Alarms of the hub contain the reason. */
export const alarmReasons: Migration = {
  version: 16,
  name: 'alarm-reasons',
  sql: `
ALTER TABLE alarms ADD COLUMN reason TEXT NOT NULL DEFAULT '';
`,
};
