import { memo, type ReactNode, useRef } from 'react';
import type { Column, Named } from './column.ts';
import styles from './DataTable.module.css';
import { SelectBox, type Toggle } from './SelectBox.tsx';
import { useShownItem } from './useShownItem.ts';

interface TableRowProps<T> {
  readonly item: T;
  readonly columns: readonly Column<T>[];
  readonly actions: ((item: T) => ReactNode) | undefined;
  /** Row number in a partially rendered table; the header is the first row. */
  readonly at?: number;
  readonly isSelected?: boolean;
  /** Set where rows can be chosen; a stable function. */
  readonly toggle?: Toggle | undefined;
}

/** Renders again only when its object has changed, and then only in or near the visible part of the page. */
export const TableRow = memo(function TableRow<T>(props: TableRowProps<T>) {
  const { item, columns, actions, at, isSelected = false, toggle } = props;
  const row = useRef<HTMLTableRowElement>(null);
  const shown = useShownItem(row, item);
  return (
    <tr ref={row} aria-rowindex={at} data-selected={isSelected}>
      {toggle && (
        <td className={styles.selectCell}>
          <SelectBox id={(item as Named).id} name={(item as Named).name} isSelected={isSelected} toggle={toggle} />
        </td>
      )}
      <Cells item={shown} columns={columns} actions={actions} />
    </tr>
  );
}) as <T>(props: TableRowProps<T>) => ReactNode;

const Cells = memo(function Cells<T>({
  item,
  columns,
  actions,
}: Pick<TableRowProps<T>, 'item' | 'columns' | 'actions'>) {
  return (
    <>
      {columns.map((column) => {
        const content = column.cell(item);
        // Makes truncated text readable.
        const title = typeof content === 'string' ? content : undefined;
        return (
          <td key={column.key} className={column.isRight === true ? styles.right : undefined} title={title}>
            {content}
          </td>
        );
      })}
      {actions && <td className={styles.actions}>{actions(item)}</td>}
    </>
  );
}) as <T>(props: Pick<TableRowProps<T>, 'item' | 'columns' | 'actions'>) => ReactNode;
