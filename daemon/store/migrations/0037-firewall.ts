import type { Migration } from '../migrate.ts';

/** The firewall of the appliance. */
export const firewall: Migration = {
  version: 37,
  name: 'firewall',
  sql: `
CREATE TABLE firewall (
  id INTEGER PRIMARY KEY NOT NULL,
  mode INTEGER NOT NULL,
  revision INTEGER NOT NULL DEFAULT 1
) STRICT;
INSERT INTO firewall (id, mode) VALUES (1, 1);
CREATE TABLE firewall_rules (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  port TEXT NOT NULL,
  protocol INTEGER NOT NULL,
  remark TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  revision INTEGER NOT NULL DEFAULT 1
) STRICT;
`,
};
