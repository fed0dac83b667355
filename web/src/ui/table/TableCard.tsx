import { useLingui } from '@lingui/react/macro';
import { memo, type ReactNode, useRef } from 'react';
import type { Column, Named } from './column.ts';
import styles from './DataTable.module.css';
import { SelectBox, type Toggle } from './SelectBox.tsx';
import { useShownItem } from './useShownItem.ts';

/** Shown at the top of a card; a stable function. */
export type CardTop<T> = (item: T) => ReactNode;

interface TableCardProps<T> {
  readonly item: T;
  readonly columns: readonly Column<T>[];
  readonly actions: ((item: T) => ReactNode) | undefined;
  readonly top?: CardTop<T> | undefined;
  readonly isSelected?: boolean;
  /** Set where cards can be chosen; a stable function. */
  readonly toggle?: Toggle | undefined;
}

type CardContentProps<T> = Pick<TableCardProps<T>, 'item' | 'columns' | 'actions' | 'top'>;

/** A row where there is no room for a table; renders as rows do. */
export const TableCard = memo(function TableCard<T>(props: TableCardProps<T>) {
  const { item, columns, actions, top, isSelected = false, toggle } = props;
  const card = useRef<HTMLLIElement>(null);
  const shown = useShownItem(card, item);
  return (
    <li ref={card} className={styles.card} data-selected={isSelected}>
      {toggle && (
        <SelectBox id={(item as Named).id} name={(item as Named).name} isSelected={isSelected} toggle={toggle} />
      )}
      <CardContent item={shown} columns={columns} actions={actions} top={top} />
    </li>
  );
}) as <T>(props: TableCardProps<T>) => ReactNode;

const CardContent = memo(function CardContent<T>({ item, columns, actions, top }: CardContentProps<T>) {
  const { i18n } = useLingui();
  const at = (place: Column<T>['onCard']) => columns.filter((column) => column.onCard === place);
  const lines = columns.filter(({ onCard = 'half' }) => ['half', 'line', 'text'].includes(onCard));
  return (
    <>
      {top && <div className={styles.cardTop}>{top(item)}</div>}
      <div className={styles.cardBody}>
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
      </div>
    </>
  );
}) as <T>(props: CardContentProps<T>) => ReactNode;
