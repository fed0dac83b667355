import { chmodSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../lib/log.ts';
import type { Database } from './database.ts';

export interface Migration {
  /** 1 for the first migration; stored as SQLite's `user_version`. */
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

interface MigrateOptions {
  readonly migrations: readonly Migration[];
  /** Folder of the copies made before a migration; null for none (tests, databases in memory). */
  readonly backupDir: string | null;
  readonly log: Log;
}

const keptBackups = 3;

/** The database was written by a newer Signalbox: continuing would damage it. */
export class NewerDatabaseError extends Error {
  constructor(found: number, known: number) {
    super(
      `the database has version ${found}, this Signalbox knows up to ${known}; start the newer Signalbox again, or put back a copy from the backups folder`,
    );
    this.name = 'NewerDatabaseError';
  }
}

/** Migrates the database to the newest version, one transaction per step. */
export function migrate(db: Database, { migrations, backupDir, log }: MigrateOptions): void {
  const version = databaseVersion(db);
  const newest = migrations.at(-1)?.version ?? 0;
  if (version > newest) throw new NewerDatabaseError(version, newest);
  const open = migrations.filter((migration) => migration.version > version);
  if (open.length === 0) return;
  if (version > 0 && backupDir !== null) {
    log.info('database copied before its migration', { file: backUp(db, backupDir, version) });
  }
  for (const migration of open) {
    apply(db, migration);
    log.info('database migrated', { version: migration.version, name: migration.name });
  }
}

export function databaseVersion(db: Database): number {
  const row = db.$client.query<{ user_version: number }, []>('PRAGMA user_version').get();
  return row?.user_version ?? 0;
}

function apply(db: Database, migration: Migration): void {
  const client = db.$client;
  // Rebuilding a table drops it temporarily; the references are checked before the commit instead.
  client.run('PRAGMA foreign_keys = OFF');
  try {
    client
      .transaction(() => {
        client.run(migration.sql);
        const broken = client.query('PRAGMA foreign_key_check').all();
        if (broken.length > 0) throw new Error(`migration ${migration.name} leaves ${broken.length} broken references`);
        client.run(`PRAGMA user_version = ${migration.version}`);
      })
      .immediate();
  } finally {
    client.run('PRAGMA foreign_keys = ON');
  }
}

/** `VACUUM INTO` writes a complete, consistent file even while the journal contains the newest commits. */
function backUp(db: Database, dir: string, version: number): string {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const stamp = new Date().toISOString().replaceAll(/[:.]/g, '-');
  const file = join(dir, `hub-${stamp}-v${version}.sqlite`);
  db.$client.query('VACUUM INTO ?').run(file);
  chmodSync(file, 0o600);
  const copies = readdirSync(dir)
    .filter((name) => /^hub-.*\.sqlite$/.test(name))
    .toSorted();
  for (const old of copies.slice(0, -keptBackups)) rmSync(join(dir, old));
  return file;
}
