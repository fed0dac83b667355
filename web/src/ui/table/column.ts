import type { MessageDescriptor } from '@lingui/core';
import type { ReactNode } from 'react';

/** A column, kept at module level: it never depends on what is shown. */
export interface Column<T> {
  readonly key: string;
  readonly title: MessageDescriptor;
  /** Pixels; the one column without takes what is left. */
  readonly width?: number;
  readonly isRight?: boolean;
  readonly cell: (item: T) => ReactNode;
  /** Given for columns one can sort by. */
  readonly sortValue?: (item: T) => string | number;
  /** Text that the search looks at. */
  readonly searchText?: (item: T) => string;
  /** Can't be hidden. */
  readonly isFixed?: boolean;
  readonly isOptional?: boolean;
  /**
   * Place on the card of a phone; without it the column takes half a line of the card. `text` is a line that needs no
   * title to be understood.
   */
  readonly onCard?: 'title' | 'state' | 'line' | 'text' | 'none';
}

/** Of the column without a width. */
const leastRest = 200;

/** Pixels that the columns need; a table with less room scrolls sideways. */
export function leastWidth<T>(columns: readonly Column<T>[]): number {
  return columns.reduce((sum, { width = leastRest }) => sum + width, 0);
}
