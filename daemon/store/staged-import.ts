/** The row of the settings in which an import waits for the next start; no group of settings has its name. */
import { eq } from 'drizzle-orm';
import type { Queries } from './database.ts';
import { settings } from './schema.ts';

const name = 'staged-import';

/** Sealed; undefined if none waits. */
export function readStaged(db: Queries): string | undefined {
  const row = db.select({ value: settings.value }).from(settings).where(eq(settings.name, name)).get();
  return row && (JSON.parse(row.value) as string);
}

export function isStaged(db: Queries): boolean {
  return readStaged(db) !== undefined;
}

export function writeStaged(tx: Queries, sealed: string): void {
  const value = JSON.stringify(sealed);
  tx.insert(settings).values({ name, value }).onConflictDoUpdate({ target: settings.name, set: { value } }).run();
}

export function deleteStaged(tx: Queries): void {
  tx.delete(settings).where(eq(settings.name, name)).run();
}
