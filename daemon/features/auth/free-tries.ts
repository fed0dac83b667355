import { createBoundedTable } from './bounded-table.ts';

interface FreeTriesOptions {
  /** Tries per key. */
  readonly max: number;
  /** A key without a try for this long has all of them again. */
  readonly forgetAfterMs: number;
  readonly maxKeys: number;
  /** Whether the key is among those that are forgotten last. */
  readonly isPrecious: (key: string) => boolean;
  readonly now: () => number;
}

/** Tries per key. A try is taken before its outcome is known, so that concurrent attempts get no more of them. */
export function createFreeTries({ max, forgetAfterMs, maxKeys, isPrecious, now }: FreeTriesOptions) {
  const table = createBoundedTable<{ taken: number; takenAt: number; readonly isPrecious: boolean }>({
    max: maxKeys,
    worth: (entry) => entry.taken + (entry.isPrecious ? max + 1 : 0),
  });
  const find = (key: string) => table.take(key, () => ({ taken: 0, takenAt: 0, isPrecious: isPrecious(key) }));
  return {
    /** Returns false if this key has no tries left. */
    take(key: string): boolean {
      const entry = find(key);
      if (entry === undefined) return false;
      if (now() - entry.takenAt > forgetAfterMs) entry.taken = 0;
      if (entry.taken >= max) return false;
      entry.taken += 1;
      entry.takenAt = now();
      return true;
    },
    /** Call when the try did not fail. */
    giveBack(key: string): void {
      const entry = find(key);
      if (entry && entry.taken > 0) entry.taken -= 1;
    },
  };
}
