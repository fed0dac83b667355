import { useLayoutEffect, useMemo, useState } from 'react';
import { usePhone, useTablet } from '../../lib/screen.ts';
import { type Column, fittingColumns, leastWidth } from './column.ts';
import type { TableView } from './column-choice.ts';

/**
 * How a table is laid out in `element`, its container: the columns that fit beside `reserved` pixels, or cards, on
 * narrow screens unless a list is chosen, and where not even the columns fit that never give way. Measures before the
 * first paint.
 */
export function useTableRoom<T>(
  element: HTMLElement | null,
  columns: readonly Column<T>[],
  { reserved, view }: { readonly reserved: number; readonly view: TableView | undefined },
) {
  const isPhone = usePhone();
  const isTablet = useTablet();
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    if (element === null) return;
    const measure = () => setWidth(element.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [element]);
  // Without a layout, as in unit tests, everything fits.
  const room = width === 0 ? Number.POSITIVE_INFINITY : width - reserved;
  const fitting = fittingColumns(columns, room);
  // The same array while the same columns fit: rows render again when it changes.
  const keys = fitting.map(({ key }) => key).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the keys stand for the columns that fit
  const shown = useMemo(() => fitting, [columns, keys]);
  const isWanted = isPhone || view === 'cards' || (isTablet && view !== 'list');
  return { shown, isCards: isWanted || leastWidth(fitting) > room };
}
