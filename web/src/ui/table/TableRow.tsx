import { memo, type ReactNode } from 'react';
import type { Column, Named } from './column.ts';
import styles from './DataTable.module.css';
import { SelectBox, type Toggle } from './SelectBox.tsx';

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

/** Renders again only when its object has changed. */
export const TableRow = memo(function TableRow<T>(props: TableRowProps<T>) {
  const { item, columns, actions, at, isSelected = false, toggle } = props;
  return (
    <tr aria-rowindex={at} data-selected={isSelected}>
      {toggle && (
        <td className={styles.selectCell}>
          <SelectBox item={item as Named} isSelected={isSelected} toggle={toggle} />
        </td>
      )}
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
    </tr>
  );
}) as <T>(props: TableRowProps<T>) => ReactNode;
