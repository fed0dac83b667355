import type { I18n, MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { ReactNode } from 'react';

/** An object with a row of its own. */
export interface Identified {
  readonly id: number;
}

/** An object of a list. */
export interface Named extends Identified {
  readonly name: string;
}

/** A column, kept at module level: it never depends on what is shown. */
export interface Column<T> {
  readonly key: string;
  readonly title: MessageDescriptor;
  /** Pixels; columns without a width share the remaining space. */
  readonly width?: number;
  /** Minimum of a column without a width, in pixels; 180 by default. */
  readonly minWidth?: number;
  /**
   * Where there is no room for all columns, the last ones give way first. Those of a higher priority, 0 by default,
   * give way after all of a lower one; title, state and fixed columns never do.
   */
  readonly priority?: number;
  readonly isRight?: boolean;
  readonly cell: (item: T) => ReactNode;
  /** Set for sortable columns. */
  readonly sortValue?: (item: T) => string | number;
  /** Text that the search matches, in the language of the page. */
  readonly searchText?: (item: T, i18n: I18n) => string;
  /** Can't be hidden. */
  readonly isFixed?: boolean;
  readonly isOptional?: boolean;
  /**
   * Place on the phone card; by default the column takes half a line. `text` is a line that is clear without its
   * title.
   */
  readonly onCard?: 'title' | 'state' | 'line' | 'text' | 'none';
}

/** One choice of a filter by state; each item has at most one of them. */
export interface StateFilter<T> {
  /** In the address. */
  readonly key: string;
  readonly title: MessageDescriptor;
  readonly has: (item: T) => boolean;
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

const defaultMinWidth = 180;

const minWidthOf = <T>({ width, minWidth = defaultMinWidth }: Column<T>) => width ?? minWidth;

/** Width in pixels that the columns need. */
export function leastWidth<T>(columns: readonly Column<T>[]): number {
  return columns.reduce((sum, column) => sum + minWidthOf(column), 0);
}

const givesWay = <T>({ isFixed, onCard }: Column<T>) => isFixed !== true && onCard !== 'title' && onCard !== 'state';

/** The columns that fit into `room` pixels, in their order; those that never give way are always included. */
export function fittingColumns<T>(columns: readonly Column<T>[], room: number): readonly Column<T>[] {
  const shown = [...columns];
  const inTurn = columns.filter(givesWay).reverse();
  inTurn.sort((a, b) => (a.priority ?? 0) - (b.priority ?? 0));
  while (leastWidth(shown) > room) {
    const next = inTurn.shift();
    if (next === undefined) break;
    shown.splice(shown.indexOf(next), 1);
  }
  return shown.length === columns.length ? columns : shown;
}
