/**
 * The firmware library: a row and a file for each firmware. A file is complete and on the disk before its row exists,
 * and is removed after its row; what a killed hub left behind is removed when the library opens.
 */
import { statSync } from 'node:fs';
import { link, mkdir, open, readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { StatedFirmware } from '../../contract/firmware.ts';
import { firmwareFileName } from '../../contract/firmware-names.ts';
import { limits } from '../../contract/limits.ts';
import type { OperationChange } from '../../contract/logs.ts';
import type { Actor } from '../../http/route.ts';
import { HubError } from '../../lib/hub-error.ts';
import type { Log } from '../../lib/log.ts';
import { inUse, tooMany } from '../../lib/refusals.ts';
import { type Database, type Queries, transaction } from '../../store/database.ts';
import type { Audit } from '../logs/audit.ts';
import { type FirmwareTarget, isPreRelease, targetOf } from './stated.ts';
import { type FirmwareRow, firmwareRows, firmwareWith } from './store.ts';

/** A firmware file of the library. */
export interface FirmwareFile {
  readonly id: number;
  /** Where it is; read-only. */
  readonly path: string;
  /** `firmware-PRODUCT-ID-HARDWARE-VERSION.mwf`. */
  readonly fileName: string;
  readonly productId: number;
  /** 1: a test build. */
  readonly firmwareId: number;
  /** A letter. */
  readonly hardware: string;
  readonly version: string;
  /** Bytes. */
  readonly size: number;
  /** In hexadecimal. */
  readonly sha256: string;
  readonly isPreRelease: boolean;
}

/** A complete file that is to be added. */
export interface ReceivedFile {
  /** Its name identifies the upload. */
  readonly path: string;
  /** What its sender calls it. */
  readonly name: string;
  readonly size: number;
  readonly sha256: string;
}

export interface LibraryOptions {
  readonly db: Database;
  readonly audit: Audit;
  readonly log: Log;
  readonly now: () => number;
  /** Where the files are. */
  readonly folder: string;
}

export type FirmwareLibrary = Awaited<ReturnType<typeof openFirmwareLibrary>>;

export async function openFirmwareLibrary(options: LibraryOptions) {
  const { db, audit, now, folder } = options;
  const pathOf = ({ file }: Pick<FirmwareRow, 'file'>) => join(folder, file);
  /** What uses a file, by its id. */
  const holders = new Map<number, Set<{ readonly by: string }>>();
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const missing = await reconcile(options);

  const usersOf = (id: number): string[] => [...(holders.get(id) ?? [])].map(({ by }) => by);
  const refuseInUse = (row: FirmwareRow): void => {
    const users = usersOf(row.id);
    if (users.length > 0) throw inUse(firmwareFileName(row), ...users);
  };
  const remove = async (rows: readonly FirmwareRow[]): Promise<void> => {
    for (const row of rows) {
      missing.delete(row.id);
      // The next start removes what is left.
      await rm(pathOf(row), { force: true }).catch((error) =>
        options.log.warn('a firmware file cannot be removed', { file: row.file, reason: String(error) }),
      );
    }
  };

  /** Returns the file of this version that the new one replaces, if there is one. */
  const replacedBy = (tx: Queries, target: FirmwareTarget, { replace }: StatedFirmware): FirmwareRow | undefined => {
    const before = firmwareWith(tx, target);
    const limit = limits.firmware.count;
    if (before === undefined && firmwareRows.count(tx) >= limit) throw tooMany('firmware files', limit);
    if (before === undefined) return undefined;
    if (replace !== true && !missing.has(before.id)) throw otherContent(before);
    refuseInUse(before);
    return before;
  };
  /** Returns the row that has lost the same content. */
  const lostWith = (tx: Queries, sha256: string): FirmwareRow | undefined => {
    const same = firmwareWith(tx, { sha256 });
    if (same !== undefined && !missing.has(same.id)) throw alreadyThere(same);
    return same;
  };

  const insert = (actor: Actor, file: ReceivedFile, stated: StatedFirmware) =>
    transaction<{ id: number; gone: readonly FirmwareRow[] }>(db, (tx) => {
      const target = targetOf(file.name, stated);
      const lost = lostWith(tx, file.sha256);
      const before = replacedBy(tx, target, stated);
      const gone = [lost, before].filter((row) => row !== undefined);
      const ids = gone.map(({ id }) => id);
      if (ids.length > 0) firmwareRows.delete(tx, ids);
      const isAccepted = isPreRelease(target);
      const id = firmwareRows.insert(tx, {
        ...{ ...target, name: file.name, size: file.size, sha256: file.sha256, file: basename(file.path) },
        ...{ uploadedAt: now(), uploadedBy: actor.name, acceptedBy: isAccepted ? actor.name : '' },
      });
      const changes: OperationChange[] = [
        ...(isAccepted ? [{ word: 'preRelease' as const }] : []),
        ...(before === undefined ? [] : [{ word: 'replaced' as const, value: before.name }]),
        { word: 'sha256', value: file.sha256 },
      ];
      audit.record(tx, actor, { action: 'firmware.add', subject: firmwareFileName(target), changes });
      return { id, gone };
    });

  const addNow = async (actor: Actor, file: ReceivedFile, stated: StatedFirmware): Promise<number> => {
    const added = firmwareWith(db, { file: basename(file.path) });
    if (added !== undefined) return added.id;
    lostWith(db, file.sha256);
    const path = join(folder, basename(file.path));
    await link(file.path, path);
    try {
      await syncFolder(folder);
      const { id, gone } = insert(actor, file, stated);
      await remove(gone);
      return id;
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
  };
  /** Files are added one after the other: the same file may be added twice at a time. */
  let turn: Promise<unknown> = Promise.resolve();

  return {
    /** Throws `notExist` if there is none, or if its file was lost. */
    find(id: number): FirmwareFile {
      const row = firmwareRows.existing(db, id);
      if (!isWhole(pathOf(row), row.size)) {
        throw new HubError('notExist', `the file of firmware ${id} is missing; upload it again`, {
          params: { what: 'firmware file', id },
        });
      }
      return fileOf(row, pathOf(row));
    },
    list: (): FirmwareFile[] => firmwareRows.list(db).map((row) => fileOf(row, pathOf(row))),
    rows: (): readonly FirmwareRow[] => firmwareRows.list(db),
    isMissing: (id: number): boolean => missing.has(id),
    /** Keeps a file from being deleted until the returned function is called. `by` is shown to users. */
    hold(id: number, by: string): () => void {
      firmwareRows.existing(db, id);
      const holder = { by };
      const held = holders.get(id) ?? new Set();
      holders.set(id, held.add(holder));
      return () => {
        if (held.delete(holder) && held.size === 0) holders.delete(id);
      };
    },
    usersOf,
    /** Throws what `add` would throw, as far as that is known before the file has been sent. */
    refuseEarly(name: string, stated: StatedFirmware): void {
      replacedBy(db, targetOf(name, stated), stated);
    },
    /**
     * Adds a file, which may be removed from where it was afterwards. Returns its id, also if it was added before, by
     * another call or by a hub that was killed then. Throws `objectExists` if the library has this content, or this version without `replace`.
     */
    add(actor: Actor, file: ReceivedFile, stated: StatedFirmware): Promise<number> {
      const done = turn.then(() => addNow(actor, file, stated));
      turn = done.catch(() => {});
      return done;
    },
    /** Throws `objectBusy` while one of them is held. */
    async del(actor: Actor, ids: readonly number[]): Promise<void> {
      const rows = transaction<FirmwareRow[]>(db, (tx) => {
        const all = firmwareRows.allExisting(tx, ids);
        for (const row of all) refuseInUse(row);
        firmwareRows.delete(tx, ids);
        for (const row of all) audit.record(tx, actor, { action: 'firmware.del', subject: firmwareFileName(row) });
        return all;
      });
      await remove(rows);
    },
  };
}

/** Removes files without a row. Returns the ids of rows without their file. */
async function reconcile({ db, log, folder }: LibraryOptions): Promise<Set<number>> {
  const rows = firmwareRows.list(db);
  const known = new Set(rows.map(({ file }) => file));
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (!entry.isFile() || known.has(entry.name)) continue;
    await rm(join(folder, entry.name), { force: true });
    log.info('a firmware file that is not in the library is removed', { file: entry.name });
  }
  const lost = rows.filter(({ file, size }) => !isWhole(join(folder, file), size));
  for (const row of lost) log.warn('a firmware file is missing', { firmware: firmwareFileName(row) });
  return new Set(lost.map(({ id }) => id));
}

function isWhole(path: string, size: number): boolean {
  return statSync(path, { throwIfNoEntry: false })?.size === size;
}

/** Without it, a power failure could leave the row and lose the name of its file. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function fileOf(row: FirmwareRow, path: string): FirmwareFile {
  const { id, productId, firmwareId, hardware, version, size, sha256 } = row;
  const fileName = firmwareFileName(row);
  return {
    id,
    path,
    fileName,
    productId,
    firmwareId,
    hardware,
    version,
    size,
    sha256,
    isPreRelease: isPreRelease(row),
  };
}

function alreadyThere(row: FirmwareRow): HubError {
  const what = firmwareFileName(row);
  return new HubError('objectExists', `the library already contains this file, as '${what}'`, { params: { what } });
}

function otherContent(row: FirmwareRow): HubError {
  const what = firmwareFileName(row);
  const message =
    'the library already contains another file for this product, hardware and version; set replace to replace it';
  return new HubError('objectExists', message, {
    params: { what },
    fields: [{ path: 'replace', rule: 'exists', message: `replace: ${message}` }],
  });
}
