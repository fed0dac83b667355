import { useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { usePhone } from '../../lib/screen.ts';
import { type Column, type Identified, leastWidth } from './column.ts';
import styles from './DataTable.module.css';
import { HeaderCell, type Sorting } from './HeaderCell.tsx';
import { TableCard } from './TableCard.tsx';
import { TableRow } from './TableRow.tsx';

interface TableGridProps<T extends Identified> {
  readonly label: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly sorting?: Sorting;
  /** Buttons at the end of a row; a stable function. */
  readonly rowActions?: (item: T) => ReactNode;
  readonly actionsWidth?: number;
}

/** Rows and columns; on a phone, cards. */
export function TableGrid<T extends Identified>({
  label,
  columns,
  rows,
  sorting,
  rowActions,
  actionsWidth = 44,
}: TableGridProps<T>) {
  const { t } = useLingui();
  const isPhone = usePhone();
  if (isPhone) {
    return (
      <ul className={styles.cards} aria-label={label}>
        {rows.map((row) => (
          <TableCard key={row.id} item={row} columns={columns} actions={rowActions} />
        ))}
      </ul>
    );
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a horizontally scrollable region must be reachable by keyboard
    <section className={styles.scroll} tabIndex={0} aria-label={label}>
      <table className={styles.table} style={{ minWidth: leastWidth(columns) + actionsWidth }} aria-label={label}>
        <thead>
          <tr>
            {columns.map((column) => (
              <HeaderCell key={column.key} column={column} sorting={sorting} />
            ))}
            {rowActions && (
              <th className={styles.actions} style={{ width: actionsWidth }}>
                <span className={styles.hidden}>{t`Actions`}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <TableRow key={row.id} item={row} columns={columns} actions={rowActions} />
          ))}
        </tbody>
      </table>
    </section>
  );
}
