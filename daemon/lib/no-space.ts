/** Errors caused by a full disk of the data folder. */
import { HubError } from './hub-error.ts';

/** Codes of SQLite and the system: the disk is full, or a quota is used up. */
const codes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE']);

/** Also recognizes a wrapped error. */
export function isNoSpace(error: unknown): boolean {
  for (let one = error; one instanceof Error; one = one.cause) if ('code' in one && codes.has(one.code)) return true;
  return false;
}

export function noSpaceError(): HubError {
  return new HubError('noSpace', 'the data folder is full; free space on its disk, then try again');
}

/** Calls `instead` if `work` fails for lack of space. Not within a transaction: SQLite may have rolled it back. */
export function orWithoutSpace<T>(work: () => T, instead: () => T): T {
  try {
    return work();
  } catch (error) {
    if (isNoSpace(error)) return instead();
    throw error;
  }
}

/** For work that the hub can do without: returns whether it was done. */
export function unlessNoSpace(work: () => void): boolean {
  const done = () => {
    work();
    return true;
  };
  return orWithoutSpace(done, () => false);
}
