import { asc, count, eq, inArray, isNotNull } from 'drizzle-orm';
import type { Queries } from '../../store/database.ts';
import { channels, inputs } from '../../store/schema.ts';
import type { StoredAddress } from '../../store/stored-address.ts';

export interface InputRow extends StoredAddress {
  readonly id: number;
  readonly name: string;
  readonly revision: number;
}
/** A channel that uses an input as its main one or as its backup. */
export interface InputUser {
  readonly inputId: number | null;
  readonly id: number;
  readonly name: string;
}

const columns = {
  id: inputs.id,
  name: inputs.name,
  protocol: inputs.protocol,
  config: inputs.config,
  secret: inputs.secret,
  revision: inputs.revision,
};

export function listInputs(db: Queries): InputRow[] {
  return db.select(columns).from(inputs).orderBy(asc(inputs.id)).all();
}

export function findInputs(db: Queries, ids: readonly number[]): InputRow[] {
  return db
    .select(columns)
    .from(inputs)
    .where(inArray(inputs.id, [...ids]))
    .orderBy(asc(inputs.id))
    .all();
}

export function listInputUsers(db: Queries): InputUser[] {
  const usersBy = (inputId: typeof channels.inputId | typeof channels.backupInputId) =>
    db.select({ inputId, id: channels.id, name: channels.name }).from(channels).where(isNotNull(inputId)).all();
  const users = [...usersBy(channels.inputId), ...usersBy(channels.backupInputId)];
  return users.toSorted((a, b) => a.id - b.id);
}

export function countInputs(db: Queries): number {
  return db.select({ count: count() }).from(inputs).get()?.count ?? 0;
}

export function insertInput(
  db: Queries,
  input: StoredAddress & { readonly name: string; readonly createdAt: number },
): number {
  return db.insert(inputs).values(input).returning({ id: inputs.id }).get().id;
}

export function updateInput(db: Queries, id: number, change: Partial<StoredAddress & { name: string }>): void {
  db.update(inputs).set(change).where(eq(inputs.id, id)).run();
}

/** Channels that used them now wait for a publisher with their push key, or no longer have a backup. */
export function deleteInputs(db: Queries, ids: readonly number[]): void {
  db.delete(inputs)
    .where(inArray(inputs.id, [...ids]))
    .run();
}
