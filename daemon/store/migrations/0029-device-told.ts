import type { Migration } from '../migrate.ts';

/** What each device was told last to send and to play, so that it is told again after that has changed. */
export const deviceTold: Migration = {
  version: 29,
  name: 'device-told',
  sql: 'ALTER TABLE devices ADD COLUMN told TEXT;',
};
