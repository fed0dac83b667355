import { useEffect, useRef, useState } from 'react';
import type { Identified } from './column.ts';

const settleMs = 5000;

/**
 * The list used for sorting and searching, updated at most every five seconds: rows that move every second cannot be
 * read or clicked. Added and removed rows take effect immediately.
 */
export function useSettled<T extends Identified>(items: readonly T[]): readonly T[] {
  const [settled, setSettled] = useState(items);
  const newest = useRef(items);
  newest.current = items;
  const isSameSet = settled.length === items.length && settled.every(({ id }, at) => id === items[at]?.id);
  useEffect(() => {
    const timer = setInterval(() => setSettled(newest.current), settleMs);
    return () => clearInterval(timer);
  }, []);
  if (!isSameSet) setSettled(items);
  return isSameSet ? settled : items;
}
