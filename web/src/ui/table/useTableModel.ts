import {
  type ColumnDef,
  columnFilteringFeature,
  columnOrderingFeature,
  columnVisibilityFeature,
  createFilteredRowModel,
  createPaginatedRowModel,
  createSortedRowModel,
  globalFilteringFeature,
  rowPaginationFeature,
  rowSortingFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { useMemo } from 'react';
import type { Column } from './column.ts';
import type { TableAddress } from './table-address.ts';
import type { TableSettings } from './table-settings.ts';

const features = tableFeatures({
  columnFilteringFeature,
  columnOrderingFeature,
  columnVisibilityFeature,
  globalFilteringFeature,
  rowPaginationFeature,
  rowSortingFeature,
  filteredRowModel: createFilteredRowModel(),
  paginatedRowModel: createPaginatedRowModel(),
  sortedRowModel: createSortedRowModel(),
});

interface TableModel<T> {
  readonly columns: readonly Column<T>[];
  /** The rows of this page, in order. */
  readonly rows: readonly T[];
  /** Number of rows that match the search. */
  readonly matching: number;
  readonly pageCount: number;
  readonly page: number;
}

interface TableModelOptions<T> {
  readonly columns: readonly Column<T>[];
  readonly items: readonly T[];
  readonly address: TableAddress;
  readonly settings: TableSettings;
}

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

function compare(a: unknown, b: unknown): number {
  return typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b));
}

/** Search, order, page and column choice; rendering is up to the caller. */
export function useTableModel<T>({ columns, items, address, settings }: TableModelOptions<T>): TableModel<T> {
  const definitions = useMemo(() => columns.map((column) => definitionOf(column)), [columns]);
  const data = useMemo(() => items.map((item) => ({ item })), [items]);
  const searchText = useMemo(() => searchTextOf(columns), [columns]);
  const table = useTable<typeof features, { item: T }>({
    features,
    columns: definitions,
    data,
    autoResetPageIndex: false,
    getColumnCanGlobalFilter: (column) => column.id === columns[0]?.key,
    globalFilterFn: (row, _column, wanted: string) => searchText(row.original.item).includes(wanted.toLowerCase()),
    state: {
      columnFilters: [],
      columnOrder: [...settings.order],
      columnVisibility: Object.fromEntries(settings.hidden.map((key) => [key, false])),
      globalFilter: address.search === '' ? undefined : address.search,
      pagination: { pageIndex: address.page, pageSize: settings.pageSize },
      sorting: address.sort ? [{ id: address.sort.key, desc: address.sort.isDescending }] : [],
    },
  });
  const byKey = new Map(columns.map((column) => [column.key, column]));
  const matching = table.getFilteredRowModel().rows.length;
  const pageCount = Math.max(1, Math.ceil(matching / settings.pageSize));
  return {
    columns: table.getVisibleLeafColumns().flatMap((column) => byKey.get(column.id) ?? []),
    rows: table.getRowModel().rows.map((row) => row.original.item),
    matching,
    pageCount,
    page: address.page,
  };
}

function definitionOf<T>(column: Column<T>): ColumnDef<typeof features, { item: T }> {
  return {
    id: column.key,
    accessorFn: ({ item }) => column.sortValue?.(item) ?? 0,
    enableSorting: column.sortValue !== undefined,
    sortFn: (a, b, id) => compare(a.getValue(id), b.getValue(id)),
  };
}

function searchTextOf<T>(columns: readonly Column<T>[]): (item: T) => string {
  const texts = columns.flatMap((column) => column.searchText ?? []);
  return (item) =>
    texts
      .map((text) => text(item))
      .join('\n')
      .toLowerCase();
}
