import { useLingui } from '@lingui/react/macro';
import { type ReactNode, useState } from 'react';
import type { Column, Identified } from './column.ts';
import styles from './DataTable.module.css';
import { HeaderCell, type Sorting } from './HeaderCell.tsx';
import { type CardTop, TableCard } from './TableCard.tsx';
import { TableRow } from './TableRow.tsx';
import type { Selection } from './useSelection.ts';
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
  const { shown, isCards } = useTableRoom(element, columns, {
    reserved: rowActions ? actionsWidth : 0,
    view: undefined,
  });
  return <div ref={setElement}>{isCards ? <TableCards {...props} /> : <TableRows {...props} columns={shown} />}</div>;
}

interface Selectable {
  readonly selection?: Selection;
}

interface TableRowsProps<T extends Identified> extends TableGridProps<T>, Selectable {
  readonly sorting?: Sorting;
  /** Ids of all rows of the list, shown or not. */
  readonly all?: readonly number[];
}

export function TableRows<T extends Identified>({
  label,
  columns,
  rows,
  sorting,
  rowActions,
  actionsWidth = 44,
  selection,
  all = [],
}: TableRowsProps<T>) {
  const { t } = useLingui();
  return (
    <table className={styles.table} aria-label={label}>
      <thead>
        <tr>
          {selection && (
            <th className={styles.selectCell}>
              <SelectAll selection={selection} all={all} />
            </th>
          )}
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
          <TableRow
            key={row.id}
            item={row}
            columns={columns}
            actions={rowActions}
            isSelected={selection?.ids.has(row.id) ?? false}
            toggle={selection?.toggle}
          />
        ))}
      </tbody>
    </table>
  );
}

export function TableCards<T extends Identified>({
  label,
  columns,
  rows,
  rowActions,
  selection,
  cardTop,
}: TableGridProps<T> & Selectable & { readonly cardTop?: CardTop<T> | undefined }) {
  return (
    <ul className={styles.cards} aria-label={label}>
      {rows.map((row) => (
        <TableCard
          key={row.id}
          item={row}
          columns={columns}
          actions={rowActions}
          top={cardTop}
          isSelected={selection?.ids.has(row.id) ?? false}
          toggle={selection?.toggle}
        />
      ))}
    </ul>
  );
}

/** Chooses all rows that match, on every page of the list. */
function SelectAll({ selection, all }: { selection: Selection; all: readonly number[] }) {
  const { t } = useLingui();
  const count = all.filter((id) => selection.ids.has(id)).length;
  const isAll = count > 0 && count === all.length;
  return (
    <label className={styles.select}>
      <input
        ref={(box) => {
          if (box !== null) box.indeterminate = count > 0 && !isAll;
        }}
        type="checkbox"
        aria-label={t`Select all ${all.length}`}
        checked={isAll}
        onChange={() => selection.set(isAll ? [] : all)}
      />
    </label>
  );
}
