import { createBoundedTable } from './bounded-table.ts';

interface FreeTriesOptions {
  /** Tries of one key. */
  readonly most: number;
  /** A key that took none for so long has all of them again. */
  readonly forgetAfterMs: number;
  readonly mostKeys: number;
  /** Keys that are forgotten last. */
  readonly isPrecious: (key: string) => boolean;
  readonly now: () => number;
}

export interface FreeTries {
  /** False when this key has none left. */
  take(key: string): boolean;
  /** The try was no failure. */
  giveBack(key: string): void;
}

/** A number of tries per key. A try is taken before its outcome is known, so that many at once get no more. */
export function createFreeTries({ most, forgetAfterMs, mostKeys, isPrecious, now }: FreeTriesOptions): FreeTries {
  const table = createBoundedTable<{ taken: number; takenAt: number; readonly isPrecious: boolean }>({
    most: mostKeys,
    worth: (entry) => entry.taken + (entry.isPrecious ? most + 1 : 0),
  });
  const find = (key: string) => table.take(key, () => ({ taken: 0, takenAt: 0, isPrecious: isPrecious(key) }));
  return {
    take(key) {
      const entry = find(key);
      if (entry === undefined) return false;
      if (now() - entry.takenAt > forgetAfterMs) entry.taken = 0;
      if (entry.taken >= most) return false;
      entry.taken += 1;
      entry.takenAt = now();
      return true;
    },
    giveBack(key) {
      const entry = find(key);
      if (entry && entry.taken > 0) entry.taken -= 1;
    },
  };
}
