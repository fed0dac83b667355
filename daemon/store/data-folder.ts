/** The folder of all data of the hub, locked by one hub at a time. */
import { Database as Sqlite } from 'bun:sqlite';
import { chmodSync, closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../lib/log.ts';
import { makePrivate } from './private-folder.ts';

/** The folder cannot be used; the message names it and the remedy. */
export class DataFolderError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DataFolderError';
  }
}

/** The garbage collector would close an unreferenced lock and let another hub in. */
const heldLocks = new Set<Sqlite>();

export type DataFolder = ReturnType<typeof openDataFolder>;

export function openDataFolder(path: string, log: Log) {
  openForOwner(path, log);
  const lock = takeLock(path);
  heldLocks.add(lock);
  return {
    path,
    database: join(path, 'hub.sqlite'),
    backups: join(path, 'backups'),
    secretsKey: join(path, 'secrets.key'),
    tls: join(path, 'tls'),
    release(): void {
      heldLocks.delete(lock);
      lock.close();
    },
  };
}

function openForOwner(path: string, log: Log): void {
  const trial = join(path, `.trial-${process.pid}`);
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    if (!makePrivate(path, log)) {
      const remedy = 'choose a folder of the hub alone with SIGNALBOX_DATA_DIR';
      throw new DataFolderError(`everybody on this machine may write to the data folder ${path}; ${remedy}`);
    }
    writeFileSync(trial, 'x');
    rmSync(trial);
  } catch (error) {
    if (error instanceof DataFolderError) throw error;
    const { code = 'unknown fault' } = error as NodeJS.ErrnoException;
    const remedy = 'give the folder to the user that runs the hub, or choose another one with SIGNALBOX_DATA_DIR';
    throw new DataFolderError(`the data folder ${path} can't be written (${code}); ${remedy}`, { cause: error });
  }
}

/** The kernel releases this lock when the process ends, however it ends. Child processes do not inherit it. */
function takeLock(path: string): Sqlite {
  const holder = join(path, 'hub.pid');
  const file = join(path, 'hub.lock');
  let lock: Sqlite | undefined;
  try {
    // A user who can open the file could lock it and keep the hub from starting.
    closeSync(openSync(file, 'a', 0o600));
    chmodSync(file, 0o600);
    lock = new Sqlite(file, { create: true });
    lock.run('BEGIN EXCLUSIVE');
  } catch (error) {
    lock?.close();
    const { code = 'unknown fault' } = error as { code?: string };
    if (!code.startsWith('SQLITE_BUSY')) {
      throw new DataFolderError(`${file} can't be locked (${code}); remove it when no hub runs`, { cause: error });
    }
    const remedy = 'stop it first, or give this one another folder with SIGNALBOX_DATA_DIR';
    throw new DataFolderError(`another hub (process ${readHolder(holder)}) uses the data folder ${path}; ${remedy}`, {
      cause: error,
    });
  }
  writeFileSync(holder, `${process.pid}\n`, { mode: 0o600 });
  return lock;
}

function readHolder(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return 'unknown';
  }
}
