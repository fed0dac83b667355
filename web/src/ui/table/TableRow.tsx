import { memo, type ReactNode } from 'react';
import type { Column } from './column.ts';
import styles from './DataTable.module.css';

interface TableRowProps<T> {
  readonly item: T;
  readonly columns: readonly Column<T>[];
  readonly actions: ((item: T) => ReactNode) | undefined;
  /** Row number in a partially rendered table; the header is the first row. */
  readonly at?: number;
}

/** Renders again only when its object has changed. */
export const TableRow = memo(function TableRow<T>({ item, columns, actions, at }: TableRowProps<T>) {
  return (
    <tr aria-rowindex={at}>
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
