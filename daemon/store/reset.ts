/**
 * Reset of all settings. A mark in the data folder is written first; the next start of the hub wipes what the mark names
 * before it opens anything, and removes the mark last, so that a start after a power cut continues. Each step can be
 * repeated.
 */
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { type ResetKeep, type SystemArea, systemAreas } from '../contract/power-fields.ts';
import { renameSynced, replaceFile, syncPath } from '../lib/durable-file.ts';
import type { Log } from '../lib/log.ts';
import { type DataFolder, DataFolderError } from './data-folder.ts';
import { closeDatabase, openDatabase } from './database.ts';
import { openHubDatabase } from './hub-database.ts';
import { migrate } from './migrate.ts';
import { migrations } from './migrations/list.ts';

interface ResetMark {
  readonly keep: readonly ResetKeep[];
  /** For the first password after the reset. */
  readonly setupCode: string;
  /** Areas of an appliance's operating system to reset once the folder is wiped. */
  readonly system?: readonly SystemArea[];
}

/** The file that lists the areas that still have to be reset. */
const systemFile = 'reset-system.json';
const markFile = 'reset.json';
const codeFile = 'setup-code';
/** The database of afterwards, complete once it has this name. */
const nextDatabase = 'next.sqlite';

/** Everything that a hub writes into its data folder, except for the lock. Other files in it are not the hub's. */
const wipedFiles = ['secrets.key', 'secrets.key.new', '.space', 'change.json', 'change.json.new', codeFile];
const wipedFolders = ['backups', 'ndi', 'slates', 'uploads'];
/** By what keeps them. */
const wipedUnlessKept: Readonly<Record<ResetKeep, readonly string[]>> = {
  network: ['tls'],
  firmware: ['firmware'],
  logs: ['log'],
};

/** Tables and rows that stay, by what keeps them. */
const keptRows: Readonly<Record<ResetKeep, readonly string[]>> = {
  network: ["settings WHERE name IN ('web', 'network')", 'firewall', 'firewall_rules'],
  firmware: ['firmware_files'],
  logs: ['operation_log'],
};

export function markReset(dataDir: string, mark: ResetMark): void {
  replaceFile(join(dataDir, markFile), JSON.stringify(mark));
}

/** The code that a user got before the reset; it is of no use once Admin has a password. */
export function readSetupCode(dataDir: string): string | undefined {
  const path = join(dataDir, codeFile);
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;
}

/** Returns the areas that still have to be reset; empty on most hubs, and if the file is damaged. */
export function readSystemReset(dataDir: string): readonly SystemArea[] {
  const path = join(dataDir, systemFile);
  if (!existsSync(path)) return [];
  try {
    const areas: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return systemAreas.filter((area) => Array.isArray(areas) && areas.includes(area));
  } catch {
    return [];
  }
}

export function writeSystemReset(dataDir: string, areas: readonly SystemArea[]): void {
  if (areas.length > 0) replaceFile(join(dataDir, systemFile), JSON.stringify(areas));
  else remove([join(dataDir, systemFile)]);
  syncPath(dataDir);
}

/** Wipes the folder if it is marked. Throws a DataFolderError if that is not possible; the mark stays then. */
export function continueReset(folder: DataFolder, log: Log): void {
  const path = join(folder.path, markFile);
  if (!existsSync(path)) return;
  try {
    const mark = JSON.parse(readFileSync(path, 'utf8')) as ResetMark;
    log.warn('all settings are reset', { keep: mark.keep.join(' ') || 'nothing' });
    for (const step of resetSteps(folder, mark, log)) step();
    log.info('all settings have been reset');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new DataFolderError(`the reset of ${folder.path} cannot be completed (${reason})`, { cause: error });
  }
}

/** In order. Power may be cut within and after each: all of them run again then. */
export function resetSteps(
  folder: DataFolder,
  { keep, setupCode, system = [] }: ResetMark,
  log: Log,
): readonly (() => void)[] {
  const inFolder = (name: string) => join(folder.path, name);
  const next = inFolder(nextDatabase);
  const unkept = Object.entries(wipedUnlessKept).flatMap(([kept, names]) =>
    keep.includes(kept as ResetKeep) ? [] : names,
  );
  return [
    // If the power was cut at the end, this is made from the next one, which has the same rows.
    () => existsSync(folder.database) && !existsSync(next) && makeNext(folder, keep, log),
    () => remove(['-wal', '-shm', ''].map((suffix) => folder.database + suffix)),
    () => remove(wipedFiles.map(inFolder)),
    () => empty([...wipedFolders, ...unkept].map(inFolder)),
    // Of the agents of devices, which are gone as well; sealed with the key that is.
    () => remove([inFolder('tls/link.key'), inFolder('tls/link.key.new')]),
    () => replaceFile(join(folder.path, codeFile), setupCode),
    () => existsSync(next) && renameSync(next, folder.database),
    () => writeSystemReset(folder.path, system),
    () => syncPath(folder.path),
    () => remove([inFolder(markFile)]),
    () => syncPath(folder.path),
  ];
}

/** Makes a new database with the rows that stay, so that no page of the old one remains. */
function makeNext(folder: DataFolder, keep: readonly ResetKeep[], log: Log): void {
  const part = join(folder.path, `${nextDatabase}.part`);
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(part + suffix, { force: true });
  // An older hub may have written it.
  closeDatabase(openHubDatabase(folder, log));
  const db = openDatabase(part);
  migrate(db, { migrations, backupDir: null, log });
  db.$client.run('ATTACH ? AS before', [folder.database]);
  const copy = db.$client.transaction(() => {
    for (const rows of keep.flatMap((kept) => keptRows[kept])) {
      const table = /^\w+/.exec(rows)?.[0] ?? '';
      db.$client.run(`DELETE FROM main.${table}`);
      db.$client.run(`INSERT INTO main.${table} SELECT * FROM before.${rows}`);
    }
  });
  copy();
  db.$client.run('DETACH before');
  db.$client.run('PRAGMA journal_mode = DELETE');
  closeDatabase(db);
  syncPath(part);
  renameSynced(part, join(folder.path, nextDatabase));
}

/** Keeps the folders themselves, which a unit may have made, and shortens the file that a running engine writes. */
function empty(folders: readonly string[]): void {
  for (const folder of folders.filter((path) => existsSync(path))) {
    for (const name of readdirSync(folder)) {
      if (name === 'engine.log') truncateSync(join(folder, name));
      else rmSync(join(folder, name), { recursive: true, force: true });
    }
  }
}

function remove(paths: readonly string[]): void {
  for (const path of paths) rmSync(path, { force: true });
}
