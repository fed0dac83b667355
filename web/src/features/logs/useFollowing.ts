import { useMemo, useState } from 'react';
import type { SystemLogLine } from '../../../../daemon/contract/system-log.ts';

interface Following {
  /** Lines to show, the newest first. */
  readonly parts: readonly (readonly SystemLogLine[])[];
  /** How many have come since one left the newest. */
  readonly waiting: number;
}

/** While somebody reads further down nothing is put on top: what comes waits, and where one reads stays where it is. */
export function useFollowing(pages: readonly { readonly list: SystemLogLine[] }[], isAtTop: boolean): Following {
  const [held, setHeld] = useState<number>();
  if (isAtTop && held !== undefined) setHeld(undefined);
  if (!isAtTop && held === undefined) setHeld(pages[0]?.list[0]?.id ?? 0);
  return useMemo(() => {
    const loaded = pages.map(({ list }) => list);
    if (held === undefined) return { parts: loaded, waiting: 0 };
    const parts = loaded.map((list) => ((list[0]?.id ?? 0) > held ? list.filter(({ id }) => id <= held) : list));
    const count = (lists: readonly (readonly unknown[])[]) => lists.reduce((sum, { length }) => sum + length, 0);
    return { parts: parts.filter(({ length }) => length > 0), waiting: count(loaded) - count(parts) };
  }, [pages, held]);
}
