import { eq } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { fieldError } from '../lib/hub-error.ts';
import type { Queries } from '../store/database.ts';

type Named = SQLiteTable & { readonly id: SQLiteColumn; readonly name: SQLiteColumn };

export function idOf(db: Queries, table: Named, name: string): number | undefined {
  const row = db.select({ id: table.id }).from(table).where(eq(table.name, name)).get();
  return row?.id as number | undefined;
}

/** Throws a HubError that names the member for an object that does not exist; undefined if none is named. */
export function refer(db: Queries, table: Named, member: string, name: string | undefined): number | null {
  if (name === undefined) return null;
  const id = idOf(db, table, name);
  if (id === undefined) throw fieldError(member, 'notExist', `there is no '${name}'`);
  return id;
}

export function deleteNamed(db: Queries, table: Named, name: string): void {
  db.delete(table).where(eq(table.name, name)).run();
}
