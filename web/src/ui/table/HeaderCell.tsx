import { useLingui } from '@lingui/react/macro';
import { IconArrowNarrowDown, IconArrowNarrowUp } from '@tabler/icons-react';
import type { Column } from './column.ts';
import styles from './DataTable.module.css';
import type { Sort, TableAddress } from './table-address.ts';

interface HeaderCellProps<T> {
  readonly column: Column<T>;
  readonly sorting: Sorting | undefined;
}

export interface Sorting {
  readonly sort: Sort | undefined;
  readonly change: (part: Partial<TableAddress>) => void;
}

/** Sorts ascending, descending, then in the original order. */
export function HeaderCell<T>({ column, sorting }: HeaderCellProps<T>) {
  const { i18n } = useLingui();
  const title = i18n._(column.title);
  const own = sorting?.sort?.key === column.key ? sorting.sort : undefined;
  const next =
    own === undefined
      ? { key: column.key, isDescending: false }
      : own.isDescending
        ? undefined
        : { ...own, isDescending: true };
  const Icon = own?.isDescending === true ? IconArrowNarrowDown : IconArrowNarrowUp;
  return (
    <th
      scope="col"
      className={column.isRight === true ? styles.right : undefined}
      style={{ width: column.width }}
      {...(sorting && column.sortValue && { 'aria-sort': ariaSort(own) })}
    >
      {column.sortValue === undefined || sorting === undefined ? (
        title
      ) : (
        <button
          type="button"
          className={styles.sort}
          data-active={own !== undefined}
          onClick={() => sorting.change({ sort: next })}
        >
          {title}
          <Icon size={14} aria-hidden />
        </button>
      )}
    </th>
  );
}

function ariaSort(sort: Sort | undefined): 'none' | 'ascending' | 'descending' {
  if (sort === undefined) return 'none';
  return sort.isDescending ? 'descending' : 'ascending';
}
