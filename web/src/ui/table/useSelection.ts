import { useCallback, useRef, useState } from 'react';
import type { Identified } from './column.ts';

export interface Selection {
  readonly ids: ReadonlySet<number>;
  /** A stable function; with `isRange`, all rows since the last one that was chosen follow. */
  readonly toggle: (id: number, isRange: boolean) => void;
  readonly set: (ids: Iterable<number>) => void;
}

/** The chosen rows of a list. `rows`: as shown, which is what a range refers to. */
export function useSelection(rows: readonly Identified[]): Selection {
  const [ids, setIds] = useState<ReadonlySet<number>>(new Set());
  const shown = useRef(rows);
  shown.current = rows;
  const last = useRef<number>(undefined);
  const toggle = useCallback((id: number, isRange: boolean) => {
    const order = shown.current.map((row) => row.id);
    const from = isRange && last.current !== undefined ? order.indexOf(last.current) : -1;
    const at = order.indexOf(id);
    const range = from < 0 ? [id] : order.slice(Math.min(from, at), Math.max(from, at) + 1);
    last.current = id;
    setIds((before) => {
      const isChosen = !before.has(id);
      const next = new Set(before);
      for (const one of range) isChosen ? next.add(one) : next.delete(one);
      return next;
    });
  }, []);
  const set = useCallback((chosen: Iterable<number>) => setIds(new Set(chosen)), []);
  return { ids, toggle, set };
}
