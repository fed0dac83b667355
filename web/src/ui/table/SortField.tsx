import { useLingui } from '@lingui/react/macro';
import type { Column } from './column.ts';
import styles from './DataTable.module.css';
import type { Sorting } from './HeaderCell.tsx';

interface SortFieldProps<T> {
  readonly columns: readonly Column<T>[];
  readonly sorting: Sorting;
}

/** Order of a list that is shown as cards, which have no column headers. */
export function SortField<T>({ columns, sorting: { sort, change } }: SortFieldProps<T>) {
  const { i18n, t } = useLingui();
  const sortable = columns.filter((column) => column.sortValue !== undefined);
  const optionOf = (key: string, isDescending: boolean) => `${isDescending ? '-' : ''}${key}`;
  return (
    <label className={styles.sortField}>
      <span className={styles.hidden}>{t`Sort by`}</span>
      <select
        value={sort === undefined ? '' : optionOf(sort.key, sort.isDescending)}
        onChange={({ currentTarget: { value } }) =>
          change({ sort: value === '' ? undefined : { key: value.replace(/^-/, ''), isDescending: value[0] === '-' } })
        }
      >
        <option value="">{t`Original order`}</option>
        {sortable.flatMap(({ key, title }) => {
          const name = i18n._(title);
          return [
            <option key={key} value={optionOf(key, false)}>
              {name} ↑
            </option>,
            <option key={`-${key}`} value={optionOf(key, true)}>
              {name} ↓
            </option>,
          ];
        })}
      </select>
    </label>
  );
}
