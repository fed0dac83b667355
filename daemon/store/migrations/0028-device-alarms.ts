import type { Migration } from '../migrate.ts';

/** Alarms of devices. */
export const deviceAlarms: Migration = {
  version: 28,
  name: 'device-alarms',
  sql: `
ALTER TABLE alarms ADD COLUMN device TEXT NOT NULL DEFAULT '';
CREATE TABLE alarm_device_mutes (
  device TEXT PRIMARY KEY NOT NULL,
  until INTEGER NOT NULL
);
`,
};
