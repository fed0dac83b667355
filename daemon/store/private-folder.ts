/** Protects the data folder from other users of this machine. */
import { chmodSync, readdirSync, statSync } from 'node:fs';
import type { Log } from '../lib/log.ts';

const others = 0o077;
const everybodyWrites = 0o002;
const sticky = 0o1000;

/**
 * Removes all access of other users from a folder used by the hub only. Logs a warning if the folder is shared with
 * others. Returns false if every user may write to such a folder: they could put a key file there.
 */
export function makePrivate(path: string, log: Log): boolean {
  const { mode, uid } = statSync(path);
  if ((mode & others) === 0) return true;
  if (uid === process.geteuid?.() && (mode & sticky) === 0 && holdsNothingElse(path)) {
    chmodSync(path, 0o700);
    log.info('only the user of the hub may open the data folder now', { path, before: octal(mode) });
    return true;
  }
  if ((mode & everybodyWrites) !== 0) return false;
  const remedy = 'give the hub a folder of its own: SIGNALBOX_DATA_DIR';
  log.warn('other users of this machine may open the data folder', { path, mode: octal(mode), remedy });
  return true;
}

/** Whether a hub has used the folder before, or it is empty; a new file system contains lost+found. */
function holdsNothingElse(path: string): boolean {
  const names = readdirSync(path).filter((name) => name !== 'lost+found');
  return names.length === 0 || names.includes('hub.sqlite');
}

function octal(mode: number): string {
  return (mode & 0o7777).toString(8).padStart(4, '0');
}
