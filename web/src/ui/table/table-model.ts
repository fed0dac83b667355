import type { I18n } from '@lingui/core';
import type { Column, Identified, StateFilter } from './column.ts';
import type { Sort, TableAddress } from './table-address.ts';

interface TableContent<T> {
  readonly columns: readonly Column<T>[];
  readonly items: readonly T[];
  readonly address: TableAddress;
  readonly states: readonly StateFilter<T>[];
  readonly i18n: I18n;
  readonly pageSize: number;
}

/** The rows of a page, in order, and how many rows match search and state. */
export function tableModel<T extends Identified>({ columns, items, address, states, i18n, pageSize }: TableContent<T>) {
  const state = states.find(({ key }) => key === address.state);
  const inState = state === undefined ? items : items.filter(state.has);
  const matching = searched({ columns, items: inState, search: address.search, i18n });
  const sorted = matching.toSorted(orderOf(columns, address.sort));
  const first = address.page * pageSize;
  const matchingIds = sorted.map(({ id }) => id);
  return { rows: sorted.slice(first, first + pageSize), matching: matching.length, matchingIds };
}

/** The items that match the search, in any state. */
export function searched<T>({
  columns,
  items,
  search,
  i18n,
}: Pick<TableContent<T>, 'columns' | 'items' | 'i18n'> & { readonly search: string }): readonly T[] {
  return search === '' ? items : items.filter(matcherOf(columns, search, i18n));
}

function matcherOf<T>(columns: readonly Column<T>[], search: string, i18n: I18n): (item: T) => boolean {
  const wanted = search.toLowerCase();
  const texts = columns.flatMap(({ searchText }) => searchText ?? []);
  return (item) => {
    const text = texts.map((textOf) => textOf(item, i18n)).join('\n');
    return text.toLowerCase().includes(wanted);
  };
}

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });
export const compareTexts = collator.compare;

function orderOf<T>(columns: readonly Column<T>[], sort: Sort | undefined): (a: T, b: T) => number {
  const sortValue = columns.find(({ key }) => key === sort?.key)?.sortValue;
  if (sortValue === undefined) return () => 0;
  const sign = sort?.isDescending === true ? -1 : 1;
  return (a, b) => sign * compare(sortValue(a), sortValue(b));
}

function compare(a: string | number, b: string | number): number {
  return typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b));
}
