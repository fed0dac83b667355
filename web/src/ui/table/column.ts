import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { ReactNode } from 'react';

/** An object with a row of its own. */
export interface Identified {
  readonly id: number;
}

/** A column, kept at module level: it never depends on what is shown. */
export interface Column<T> {
  readonly key: string;
  readonly title: MessageDescriptor;
  /** Pixels; the one column without a width takes the remaining space. */
  readonly width?: number;
  readonly isRight?: boolean;
  readonly cell: (item: T) => ReactNode;
  /** Set for sortable columns. */
  readonly sortValue?: (item: T) => string | number;
  /** Text that the search matches. */
  readonly searchText?: (item: T) => string;
  /** Can't be hidden. */
  readonly isFixed?: boolean;
  readonly isOptional?: boolean;
  /**
   * Place on the phone card; by default the column takes half a line. `text` is a line that is clear without its
   * title.
   */
  readonly onCard?: 'title' | 'state' | 'line' | 'text' | 'none';
}

export const nameColumn: Column<{ readonly name: string }> = {
  key: 'name',
  title: msg`Name`,
  cell: ({ name }) => name,
  sortValue: ({ name }) => name,
  searchText: ({ name }) => name,
  isFixed: true,
  onCard: 'title',
};

/** Minimum width of the column without a width, in pixels. */
const leastRest = 200;

/** Width in pixels that the columns need; a table with less room scrolls horizontally. */
export function leastWidth<T>(columns: readonly Column<T>[]): number {
  return columns.reduce((sum, { width = leastRest }) => sum + width, 0);
}
