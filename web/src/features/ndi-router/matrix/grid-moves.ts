/** Keyboard movement in the matrix, by the ARIA pattern of a grid. */

export interface Place {
  /** -1: the heads of the columns. */
  readonly row: number;
  /** -1: the head of the row. */
  readonly column: number;
}

export interface Extent {
  readonly rows: number;
  readonly columns: number;
  /** Lines that are visible at once. */
  readonly page: { readonly rows: number; readonly columns: number };
}

export interface Key {
  readonly key: string;
  readonly ctrl: boolean;
  readonly alt: boolean;
}

/** Returns the place that a key moves to; undefined if the key does not move. */
export function moved(place: Place, key: Key, extent: Extent): Place | undefined {
  const next = target(place, key, extent);
  return next && inside(next, extent);
}

/** Page keys do not move into the headers. */
function target({ row, column }: Place, { key, ctrl, alt }: Key, { rows, columns, page }: Extent): Place | undefined {
  if (alt && key !== 'PageUp' && key !== 'PageDown') return undefined;
  switch (key) {
    case 'ArrowUp':
      return { row: ctrl ? 0 : row - 1, column };
    case 'ArrowDown':
      return { row: ctrl ? rows - 1 : row + 1, column };
    case 'ArrowLeft':
      return { row, column: ctrl ? 0 : column - 1 };
    case 'ArrowRight':
      return { row, column: ctrl ? columns - 1 : column + 1 };
    case 'Home':
      return { row: ctrl ? 0 : row, column: 0 };
    case 'End':
      return { row: ctrl ? rows - 1 : row, column: columns - 1 };
    case 'PageUp':
      return alt
        ? { row, column: Math.max(Math.min(column, 0), column - page.columns) }
        : { row: Math.max(Math.min(row, 0), row - page.rows), column };
    case 'PageDown':
      return alt ? { row, column: column + page.columns } : { row: row + page.rows, column };
    default:
      return undefined;
  }
}

/** Returns the nearest existing place. The corner between the headers is not a place. */
export function inside({ row, column }: Place, { rows, columns }: Pick<Extent, 'rows' | 'columns'>): Place {
  const place = {
    row: Math.min(Math.max(row, -1), rows - 1),
    column: Math.min(Math.max(column, -1), columns - 1),
  };
  return place.row === -1 && place.column === -1 ? { ...place, column: 0 } : place;
}
