import { existsSync } from 'node:fs';
import type { Log } from '../lib/log.ts';
import { type DataFolder, DataFolderError } from './data-folder.ts';
import { closeDatabase, type Database, openDatabase } from './database.ts';
import { migrate, NewerDatabaseError } from './migrate.ts';
import { migrations } from './migrations/list.ts';

/** Opens and migrates the hub's database. Every error names the file and the remedy. */
export function openHubDatabase(folder: DataFolder, log: Log): Database {
  let db: Database | undefined;
  try {
    db = openDatabase(folder.database);
    migrate(db, { migrations, backupDir: folder.backups, log });
    return db;
  } catch (error) {
    if (db !== undefined) closeDatabase(db);
    if (error instanceof NewerDatabaseError) throw new DataFolderError(error.message, { cause: error });
    const reason = error instanceof Error ? error.message : String(error);
    const remedy = existsSync(folder.backups)
      ? `put back a copy from ${folder.backups}`
      : 'make room on its disk, or move it away to start again';
    throw new DataFolderError(`the database ${folder.database} can't be used (${reason}); ${remedy}`, { cause: error });
  }
}
