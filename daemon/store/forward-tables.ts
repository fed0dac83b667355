/** Tables of port forwards; part of the schema. */
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { ForwardReason } from '../contract/forward-states.ts';
import { devices } from './schema.ts';

const deviceId = (name: string) => integer(name).references(() => devices.id, { onDelete: 'cascade' });

/** Ports of the hub that lead to ports of devices. */
export const forwards = sqliteTable('forwards', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  deviceId: deviceId('device_id').notNull(),
  /** Empty for none. */
  name: text('name').notNull(),
  remotePort: integer('remote_port').notNull(),
  /** 0: any free one. */
  localPort: integer('local_port').notNull(),
  address: text('address').notNull(),
  isPermanent: integer('is_permanent', { mode: 'boolean' }).notNull(),
  /** 0: no limit. */
  idleMinutes: integer('idle_minutes').notNull(),
  isStarted: integer('is_started', { mode: 'boolean' }).notNull().default(false),
  /** Why the hub stopped it; null if a user did. */
  reason: text('reason').$type<ForwardReason>(),
  /** The port that was open last; it is tried first if any is wanted. */
  openPort: integer('open_port').notNull().default(0),
  /** The user on whose behalf it runs, and the access token that was used; 0 for none. */
  ownerId: integer('owner_id').notNull().default(0),
  tokenId: integer('token_id').notNull().default(0),
  createdAt: integer('created_at').notNull(),
  revision: integer('revision').notNull().default(1),
});

/** The ports of a device that may be forwarded beside the usual ones. */
export const forwardPorts = sqliteTable('forward_ports', {
  deviceId: deviceId('device_id').primaryKey(),
  ports: text('ports', { mode: 'json' }).$type<number[]>().notNull(),
});
