import type { Migration } from '../migrate.ts';

/** How a channel's own NDI source is sent. */
export const channelNdi: Migration = {
  version: 10,
  name: 'channel-ndi',
  sql: 'ALTER TABLE channels ADD COLUMN ndi TEXT;',
};
