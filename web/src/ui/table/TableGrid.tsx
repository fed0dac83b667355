import { useLingui } from '@lingui/react/macro';
import { type ReactNode, useState } from 'react';
import type { Column, Identified } from './column.ts';
import styles from './DataTable.module.css';
import { HeaderCell, type Sorting } from './HeaderCell.tsx';
import { TableCard } from './TableCard.tsx';
import { TableRow } from './TableRow.tsx';
import { useTableRoom } from './useTableRoom.ts';

interface TableGridProps<T extends Identified> {
  readonly label: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  /** Buttons at the end of a row; a stable function. */
  readonly rowActions?: (item: T) => ReactNode;
  readonly actionsWidth?: number;
}

/** Rows with the columns for which there is room; cards where there is too little. */
export function TableGrid<T extends Identified>(props: TableGridProps<T>) {
  const { columns, rowActions, actionsWidth = 44 } = props;
  const [element, setElement] = useState<HTMLElement | null>(null);
  const { shown, isCards } = useTableRoom(element, columns, rowActions ? actionsWidth : 0);
  return <div ref={setElement}>{isCards ? <TableCards {...props} /> : <TableRows {...props} columns={shown} />}</div>;
}

type TableRowsProps<T extends Identified> = TableGridProps<T> & { readonly sorting?: Sorting };

export function TableRows<T extends Identified>({
  label,
  columns,
  rows,
  sorting,
  rowActions,
  actionsWidth = 44,
}: TableRowsProps<T>) {
  const { t } = useLingui();
  return (
    <table className={styles.table} aria-label={label}>
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
  );
}

export function TableCards<T extends Identified>({ label, columns, rows, rowActions }: TableGridProps<T>) {
  return (
    <ul className={styles.cards} aria-label={label}>
      {rows.map((row) => (
        <TableCard key={row.id} item={row} columns={columns} actions={rowActions} />
      ))}
    </ul>
  );
}
