import type { Migration } from '../migrate.ts';

/**
 * A webhook of a hub before this version keeps working: nobody can tell from its address whether it leads to a private
 * network, as names may. New hubs send webhooks to public addresses only.
 */
export const outgoing: Migration = {
  version: 14,
  name: 'outgoing',
  sql: `
INSERT INTO settings (name, value)
SELECT 'outgoing', '{"privateMedia":true,"privateWebhook":true}' FROM alarm_webhook WHERE url <> '';
`,
};
