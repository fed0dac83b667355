import { useLingui } from '@lingui/react/macro';
import { memo, type ReactNode } from 'react';
import type { Column } from './column.ts';
import styles from './DataTable.module.css';

interface TableCardProps<T> {
  readonly item: T;
  readonly columns: readonly Column<T>[];
  readonly actions: ((item: T) => ReactNode) | undefined;
}

/** A row on a phone. */
export const TableCard = memo(function TableCard<T>({ item, columns, actions }: TableCardProps<T>) {
  const { i18n } = useLingui();
  const at = (place: Column<T>['onCard']) => columns.filter((column) => column.onCard === place);
  const lines = columns.filter(({ onCard = 'half' }) => ['half', 'line', 'text'].includes(onCard));
  return (
    <li className={styles.card}>
      <div className={styles.cardHead}>
        <div className={styles.cardTitle}>{at('title').map((column) => column.cell(item))}</div>
        {at('state').map((column) => (
          <span key={column.key}>{column.cell(item)}</span>
        ))}
      </div>
      <dl className={styles.cardLines}>
        {lines.map((column) => (
          <div key={column.key} data-whole={column.onCard !== undefined}>
            <dt className={column.onCard === 'text' ? styles.hidden : undefined}>{i18n._(column.title)}</dt>
            <dd>{column.cell(item)}</dd>
          </div>
        ))}
      </dl>
      {actions && <div className={styles.cardActions}>{actions(item)}</div>}
    </li>
  );
}) as <T>(props: TableCardProps<T>) => ReactNode;
