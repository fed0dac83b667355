import { useCallback, useLayoutEffect, useRef, useState } from 'react';
import type { Place } from './grid-moves.ts';
import { blockSizes, isSameRange, offsetToShow, type Range, windowOf } from './window.ts';

interface Sizes {
  /** Of a row and of a column, in pixels. */
  readonly line: number;
  /** Width of the heads of the rows, in pixels. */
  readonly side: number;
  /** Height of the heads of the columns, in pixels. */
  readonly head: number;
  readonly rows: number;
  readonly columns: number;
}

/** Tracks the visible part of the matrix while it scrolls or is resized. */
export function useMatrixWindow({ line, side, head, rows, columns }: Sizes) {
  const grid = useRef<HTMLDivElement>(null);
  const [ranges, setRanges] = useState<{ readonly rows: Range; readonly columns: Range }>(() => ({
    rows: windowOf({ offset: 0, length: 900, size: line, count: rows, block: blockSizes.rows }),
    columns: windowOf({ offset: 0, length: 1500, size: line, count: columns, block: blockSizes.columns }),
  }));
  const [page, setPage] = useState({ rows: 1, columns: 1 });
  const update = useCallback(() => {
    const element = grid.current;
    if (element === null) return;
    const { down, right } = viewsOf(element, { line, side, head, rows, columns });
    const next = { rows: windowOf(down), columns: windowOf(right) };
    setRanges((before) =>
      isSameRange(before.rows, next.rows) && isSameRange(before.columns, next.columns) ? before : next,
    );
    const [pageRows, pageColumns] = [down, right].map(({ length }) => Math.max(1, Math.floor(length / line))) as [
      number,
      number,
    ];
    setPage((before) =>
      before.rows === pageRows && before.columns === pageColumns ? before : { rows: pageRows, columns: pageColumns },
    );
  }, [line, side, head, rows, columns]);
  useLayoutEffect(() => {
    update();
    const element = grid.current;
    if (element === null) return;
    const observer = new ResizeObserver(update);
    observer.observe(element);
    return () => observer.disconnect();
  }, [update]);
  /** Scrolls as little as possible. */
  const show = ({ row, column }: Place) => {
    const element = grid.current;
    if (element === null) return;
    const { down, right } = viewsOf(element, { line, side, head, rows, columns });
    if (row >= 0) element.scrollTop = offsetToShow(row, down);
    if (column >= 0) element.scrollLeft = offsetToShow(column, right);
  };
  return { grid, ranges, page, update, show };
}

function viewsOf(element: HTMLElement, { line, side, head, rows, columns }: Sizes) {
  const { scrollTop, scrollLeft, clientHeight, clientWidth } = element;
  return {
    down: {
      offset: scrollTop,
      length: Math.max(0, clientHeight - head),
      size: line,
      count: rows,
      block: blockSizes.rows,
    },
    right: {
      offset: scrollLeft,
      length: Math.max(0, clientWidth - side),
      size: line,
      count: columns,
      block: blockSizes.columns,
    },
  };
}
