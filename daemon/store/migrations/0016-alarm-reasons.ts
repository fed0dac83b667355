import type { Migration } from '../migrate.ts';

/** Alarms of the hub say why they were raised. */
export const alarmReasons: Migration = {
  version: 16,
  name: 'alarm-reasons',
  sql: `
ALTER TABLE alarms ADD COLUMN reason TEXT NOT NULL DEFAULT '';
`,
};
