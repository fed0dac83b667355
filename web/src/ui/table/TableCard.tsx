import { useLingui } from '@lingui/react/macro';
import { memo, type ReactNode } from 'react';
import type { Column, Named } from './column.ts';
import styles from './DataTable.module.css';
import { SelectBox, type Toggle } from './SelectBox.tsx';

interface TableCardProps<T> {
  readonly item: T;
  readonly columns: readonly Column<T>[];
  readonly actions: ((item: T) => ReactNode) | undefined;
  readonly isSelected?: boolean;
  /** Set where cards can be chosen; a stable function. */
  readonly toggle?: Toggle | undefined;
}

/** A row on a phone. */
export const TableCard = memo(function TableCard<T>(props: TableCardProps<T>) {
  const { item, columns, actions, isSelected = false, toggle } = props;
  const { i18n } = useLingui();
  const at = (place: Column<T>['onCard']) => columns.filter((column) => column.onCard === place);
  const lines = columns.filter(({ onCard = 'half' }) => ['half', 'line', 'text'].includes(onCard));
  return (
    <li className={styles.card} data-selected={isSelected}>
      <div className={styles.cardHead}>
        {toggle && <SelectBox item={item as Named} isSelected={isSelected} toggle={toggle} />}
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
