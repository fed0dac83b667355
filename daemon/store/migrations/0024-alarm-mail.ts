import type { Migration } from '../migrate.ts';

/** Up to which alarm mails were sent. */
export const alarmMail: Migration = {
  version: 24,
  name: 'alarm-mail',
  sql: 'CREATE TABLE alarm_mail (id INTEGER PRIMARY KEY NOT NULL, last_alarm INTEGER NOT NULL, sent_at INTEGER NOT NULL);',
};
