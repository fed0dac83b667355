import { Database as Sqlite } from 'bun:sqlite';
import { chmodSync, closeSync, openSync } from 'node:fs';
import { type BunSQLiteDatabase, drizzle } from 'drizzle-orm/bun-sqlite';
import type { BaseSQLiteDatabase } from 'drizzle-orm/sqlite-core';
import { unlessNoSpace } from '../lib/no-space.ts';
import * as schema from './schema.ts';

export type Database = BunSQLiteDatabase<typeof schema> & { readonly $client: Sqlite };
/** Parameter of store functions: the database itself, or the transaction that they are part of. */
export type Queries = BaseSQLiteDatabase<'sync', void, typeof schema>;

/** Opens (and creates) a database file for the owner only; `:memory:` is for tests. It is not migrated yet. */
export function openDatabase(path: string): Database {
  if (path !== ':memory:') keepPrivate(path);
  const client = new Sqlite(path, { create: true, strict: true });
  client.run('PRAGMA busy_timeout = 5000');
  client.run('PRAGMA journal_mode = WAL');
  // FULL: acknowledged commits survive a power failure. NORMAL could lose the newest ones in WAL mode.
  client.run('PRAGMA synchronous = FULL');
  client.run('PRAGMA foreign_keys = ON');
  return drizzle(client, { schema });
}

export function closeDatabase(db: Database): void {
  unlessNoSpace(() => db.$client.run('PRAGMA optimize'));
  db.$client.close();
}

/** A promise would outlive the transaction that created it. */
type Synchronous<T> = T extends PromiseLike<unknown> ? never : T;

/** Runs `work` as one immediate transaction: it takes the write lock first, so that the data it reads cannot change. */
export function transaction<T>(db: Database, work: (tx: Queries) => Synchronous<T>): T {
  return db.transaction(work, { behavior: 'immediate' });
}

/** SQLite gives the journal files the mode of the database file, which must be private from the first byte. */
function keepPrivate(path: string): void {
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
}
