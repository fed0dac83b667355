import type { Migration } from '../migrate.ts';

/** Mails about alarms are queued like events of the webhook. */
export const alarmTargets: Migration = {
  version: 25,
  name: 'alarm-targets',
  sql: `
CREATE TABLE alarm_targets (
  name TEXT PRIMARY KEY NOT NULL,
  dropped INTEGER NOT NULL,
  last TEXT,
  accepted_at INTEGER NOT NULL
) STRICT;
INSERT INTO alarm_targets
SELECT 'webhook', dropped, last, iif(json_extract(last, '$.ok'), json_extract(last, '$.time'), 0) FROM alarm_webhook;
INSERT INTO alarm_targets SELECT 'mail', 0, NULL, sent_at FROM alarm_mail;
ALTER TABLE alarm_webhook DROP COLUMN dropped;
ALTER TABLE alarm_webhook DROP COLUMN last;
ALTER TABLE alarm_deliveries ADD COLUMN target TEXT NOT NULL DEFAULT 'webhook';
INSERT INTO alarm_deliveries (target, body)
SELECT 'mail', json_object('event', 'raised', 'time', raised_at, 'alarm', json_object(
  'id', id, 'kind', kind, 'channel', channel_id, 'name', channel_name, 'raised', raised_at, 'cleared', ifnull(cleared_at, 0)))
FROM alarms WHERE id > (SELECT last_alarm FROM alarm_mail) ORDER BY id;
DROP TABLE alarm_mail;
`,
};
