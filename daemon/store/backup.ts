/** Copies of the data folder that are taken while the hub runs. */
import { Database as Sqlite } from 'bun:sqlite';
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ConfigError } from '../lib/config-error.ts';
import { isNoSpace } from '../lib/no-space.ts';
import { DataFolderError } from './data-folder.ts';

/** Besides the database. Logs, uploads, firmware files and older copies of the database are not part of a backup. */
const copied = ['secrets.key', 'tls', 'slates'];
const database = 'hub.sqlite';

/**
 * Copies the data folder to `target`, which appears when the copy is complete. A hub that is started on the copy has
 * the state of that moment.
 *
 * @throws ConfigError if `target` exists, DataFolderError if the data can't be read or the copy can't be written.
 */
export function backUp(dataDir: string, target: string): void {
  if (!existsSync(join(dataDir, database))) {
    throw new DataFolderError(`there is no database in ${dataDir}; name the hub's folder with SIGNALBOX_DATA_DIR`);
  }
  if (existsSync(target)) throw new ConfigError(`${target} exists; name a new folder for the copy`);
  const part = `${resolve(target)}.part-${process.pid}`;
  process.umask(0o077);
  try {
    mkdirSync(part, { recursive: true });
    copyFiles(dataDir, part);
    copyDatabase(join(dataDir, database), join(part, database));
    // Slates that the database names may have been added since the first pass.
    copyFiles(dataDir, part);
    renameSync(part, target);
  } catch (error) {
    rmSync(part, { recursive: true, force: true });
    if (isNoSpace(error)) throw error;
    throw new DataFolderError(`${dataDir} can't be copied to ${target}: ${String(error)}`, { cause: error });
  }
}

function copyFiles(from: string, to: string): void {
  for (const name of copied) {
    if (existsSync(join(from, name))) cpSync(join(from, name), join(to, name), { recursive: true });
  }
}

/** The copy is consistent, also while another process writes, and contains what is only in the write-ahead log yet. */
function copyDatabase(from: string, to: string): void {
  const db = new Sqlite(from, { readonly: true, strict: true });
  try {
    db.run('PRAGMA busy_timeout = 5000');
    db.run('VACUUM INTO ?', [to]);
  } finally {
    db.close();
  }
}
