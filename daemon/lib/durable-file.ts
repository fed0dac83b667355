/** Small files of the hub's user alone that survive a power cut. */
import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const ownerOnly = 0o600;

/** Returns when the content is on the disk. A power cut before that may leave a part of it. */
export function writeSynced(path: string, content: string | Uint8Array): void {
  const handle = openSync(path, 'w', ownerOnly);
  try {
    writeFileSync(handle, content);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** A power cut leaves the whole old file or the whole new one. */
export function replaceFile(path: string, content: string | Uint8Array): void {
  const next = `${path}.new`;
  writeSynced(next, content);
  renameSynced(next, path);
}

/** Returns when the new name is on the disk. */
export function renameSynced(from: string, to: string): void {
  renameSync(from, to);
  syncPath(dirname(to));
}

/** Of a folder: the names that were added or removed are on the disk once it is. */
export function syncPath(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
