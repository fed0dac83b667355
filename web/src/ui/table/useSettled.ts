import { useEffect, useRef, useState } from 'react';

const settleMs = 5000;

/**
 * The list used for sorting and searching, updated at most every five seconds: rows that move every second cannot be
 * read or clicked. Added and removed rows take effect immediately.
 */
export function useSettled<T>(items: readonly T[], getId: (item: T) => number): readonly T[] {
  const [settled, setSettled] = useState(items);
  const newest = useRef(items);
  newest.current = items;
  const isSameSet =
    settled.length === items.length && settled.every((item, at) => getId(item) === idAt(items, at, getId));
  useEffect(() => {
    const timer = setInterval(() => setSettled(newest.current), settleMs);
    return () => clearInterval(timer);
  }, []);
  if (!isSameSet) setSettled(items);
  return isSameSet ? settled : items;
}

function idAt<T>(items: readonly T[], at: number, getId: (item: T) => number): number | undefined {
  const item = items[at];
  return item === undefined ? undefined : getId(item);
}
