/** A change of several areas: either all parts take effect and are kept, or none. */
import type { ChangeKind } from './kind.ts';

/** The part that is stored in the database. It is last, because it cannot be undone. */
export const importPart = 'database';

export interface Part {
  readonly part: string;
  readonly change: unknown;
}

interface Prepared {
  readonly part: string;
  readonly data: unknown;
}

/** Loads the code of a part when the part first changes. */
export type PartKinds = Readonly<Record<string, () => Promise<ChangeKind>>>;

/** Parts take effect in their order, and are undone in the reverse order. */
export function severalParts(kinds: PartKinds): ChangeKind<readonly Part[], readonly Prepared[]> {
  const kindOf = async (part: string): Promise<ChangeKind> => {
    const load = kinds[part];
    if (load === undefined) throw new Error(`unknown part of a change: ${part}`);
    return load();
  };
  /** Continues with the other parts after one that fails, because the caller repeats the call for all parts. */
  const undo = async (prepared: readonly Prepared[]): Promise<void> => {
    const faults: unknown[] = [];
    for (const { part, data } of prepared.toReversed()) {
      try {
        await (await kindOf(part)).revert(data);
      } catch (error) {
        faults.push(error);
      }
    }
    if (faults.length > 0) throw faults[0];
  };
  return {
    async prepare(parts, seconds) {
      const prepared: Prepared[] = [];
      try {
        for (const { part, change } of parts) {
          prepared.push({ part, data: await (await kindOf(part)).prepare(change, seconds) });
        }
      } catch (error) {
        await undo(prepared).catch(() => {});
        throw error;
      }
      return prepared;
    },
    async apply(prepared) {
      for (const { part, data } of prepared) await (await kindOf(part)).apply(data);
    },
    async proves(prepared, over) {
      for (const { part, data } of prepared) {
        if ((await (await kindOf(part)).proves?.(data, over)) === false) return false;
      }
      return true;
    },
    async seal(prepared) {
      for (const { part, data } of prepared) {
        if (!(await (await kindOf(part)).seal(data))) return false;
      }
      return true;
    },
    async save(prepared) {
      for (const { part, data } of prepared) await (await kindOf(part)).save(data);
    },
    revert: undo,
  };
}
