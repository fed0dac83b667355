import { asc, count, eq, inArray } from 'drizzle-orm';
import type { Queries } from '../../store/database.ts';
import { channels, outputs } from '../../store/schema.ts';
import type { StoredAddress } from '../../store/stored-address.ts';

export interface OutputRow extends StoredAddress {
  readonly id: number;
  readonly name: string;
  readonly revision: number;
  readonly channelId: number | null;
  /** Name of the channel. */
  readonly owner: string | null;
}

const columns = {
  id: outputs.id,
  name: outputs.name,
  protocol: outputs.protocol,
  config: outputs.config,
  secret: outputs.secret,
  revision: outputs.revision,
  channelId: outputs.channelId,
  owner: channels.name,
};

export function listOutputs(db: Queries): OutputRow[] {
  return db
    .select(columns)
    .from(outputs)
    .leftJoin(channels, eq(outputs.channelId, channels.id))
    .orderBy(asc(outputs.id))
    .all();
}

export function findOutputs(db: Queries, ids: readonly number[]): OutputRow[] {
  return db
    .select(columns)
    .from(outputs)
    .leftJoin(channels, eq(outputs.channelId, channels.id))
    .where(inArray(outputs.id, [...ids]))
    .orderBy(asc(outputs.id))
    .all();
}

export function countOutputs(db: Queries): number {
  return db.select({ count: count() }).from(outputs).get()?.count ?? 0;
}

export function countOutputsOf(db: Queries, channelId: number): number {
  return db.select({ count: count() }).from(outputs).where(eq(outputs.channelId, channelId)).get()?.count ?? 0;
}

export function channelName(db: Queries, channelId: number): string | undefined {
  return db.select({ name: channels.name }).from(channels).where(eq(channels.id, channelId)).get()?.name;
}

interface NewOutput extends StoredAddress {
  readonly name: string;
  readonly channelId: number | null;
  readonly createdAt: number;
}

/** A new output is enabled: it sends as soon as its channel has data. */
export function insertOutput(db: Queries, output: NewOutput): number {
  return db
    .insert(outputs)
    .values({ ...output, enabled: true })
    .returning({ id: outputs.id })
    .get().id;
}

export function updateOutput(db: Queries, id: number, change: Partial<StoredAddress & { name: string }>): void {
  db.update(outputs).set(change).where(eq(outputs.id, id)).run();
}

export function deleteOutputs(db: Queries, ids: readonly number[]): void {
  db.delete(outputs)
    .where(inArray(outputs.id, [...ids]))
    .run();
}
