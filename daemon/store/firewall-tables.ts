/** Tables of the firewall; part of the schema. */
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** One row, with the id 1. */
export const firewall = sqliteTable('firewall', {
  id: integer('id').primaryKey(),
  /** A number of `firewallModes`. */
  mode: integer('mode').notNull(),
  revision: integer('revision').notNull().default(1),
});

/** Ports that the WAN interfaces let in. */
export const firewallRules = sqliteTable('firewall_rules', {
  /** Also names the counter of the rule in the packet filter. */
  id: integer('id').primaryKey({ autoIncrement: true }),
  /** A port, or a range such as 5000-5010. */
  port: text('port').notNull(),
  /** A number of `firewallProtocols`. */
  protocol: integer('protocol').notNull(),
  remark: text('remark').notNull(),
  enabled: integer('enabled', { mode: 'boolean' }).notNull(),
  revision: integer('revision').notNull().default(1),
});
