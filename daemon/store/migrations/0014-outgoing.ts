import type { Migration } from '../migrate.ts';

/**
 * An existing webhook keeps working: its address does not show whether it leads to a private network, because it may be
 * a host name. New hubs send webhooks to public addresses only.
 */
export const outgoing: Migration = {
  version: 14,
  name: 'outgoing',
  sql: `
INSERT INTO settings (name, value)
SELECT 'outgoing', '{"privateMedia":true,"privateWebhook":true}' FROM alarm_webhook WHERE url <> '';
`,
};
