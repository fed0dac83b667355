/** Free space of the data folder, and whether writes still succeed. */
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isNoSpace } from '../lib/no-space.ts';

export interface Space {
  /** Undefined while unknown. */
  readonly freeBytes: number | undefined;
  /** Whether writes fail for lack of space. */
  readonly isFull: boolean;
}

export const lowSpaceBytes = 100 * 1024 * 1024;
/** Below this, a write is tried: some blocks may be reserved for root, and some writes need several. */
const trialBelowBytes = 4 * 1024 * 1024;
const trial = Buffer.alloc(64 * 1024);

export function createFolderSpace(folder: string) {
  let space: Space = { freeBytes: undefined, isFull: false };
  return {
    /** Measures the space. When it is nearly used up, also writes and removes a small file. */
    look(): Space {
      const freeBytes = freeBytesOf(folder);
      space = { freeBytes, isFull: freeBytes !== undefined && freeBytes < trialBelowBytes && !takesWrite(folder) };
      return space;
    },
    /** Returns the result of the last measurement. */
    current: () => space,
  };
}

function freeBytesOf(folder: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}

function takesWrite(folder: string): boolean {
  const file = join(folder, '.space');
  try {
    writeFileSync(file, trial, { mode: 0o600 });
    return true;
  } catch (error) {
    return !isNoSpace(error);
  } finally {
    rmSync(file, { force: true });
  }
}
