import { createLog } from '../lib/log.ts';
import { type Database, openDatabase } from './database.ts';
import { migrate } from './migrate.ts';
import { migrations } from './migrations/list.ts';

/** A migrated, seeded database in memory, for tests. */
export function memoryDatabase(): Database {
  const db = openDatabase(':memory:');
  migrate(db, { migrations, backupDir: null, log: createLog('error') });
  return db;
}
