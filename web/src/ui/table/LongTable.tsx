import { useCallback } from 'react';
import { firstOfParts, ListPart } from '../layout/ListPart.tsx';
import type { Column, Identified } from './column.ts';
import styles from './DataTable.module.css';
import { HeaderCell } from './HeaderCell.tsx';
import { TableCard } from './TableCard.tsx';
import { TableRow } from './TableRow.tsx';
import { useTableRoom } from './useTableRoom.ts';

interface LongTableProps<T extends Identified> {
  readonly label: string;
  readonly columns: readonly Column<T>[];
  /** Rows, grouped as they were loaded. */
  readonly parts: readonly (readonly T[])[];
  /** Total number of rows, loaded or not; undefined if unknown. */
  readonly total: number | undefined;
  /** The scroll container. */
  readonly root: HTMLElement | null;
}

/** A table of any length that renders only rows near the viewport; cards where there is too little room. */
export function LongTable<T extends Identified>(props: LongTableProps<T>) {
  const { shown, isCards } = useTableRoom(props.root, props.columns, { reserved: 0, view: undefined });
  return isCards ? <LongCards {...props} /> : <LongGrid {...props} columns={shown} />;
}

function LongCards<T extends Identified>({ label, columns, parts, root }: LongTableProps<T>) {
  const draw = useCallback(
    (item: T) => <TableCard key={item.id} item={item} columns={columns} actions={undefined} />,
    [columns],
  );
  return (
    // biome-ignore lint/a11y/useSemanticElements: a list may only contain items, but these are grouped in parts
    <div role="list" aria-label={label}>
      {parts.map((items) => (
        <ListPart
          key={keyOf(items)}
          tag="div"
          root={root}
          className={`${styles.cards} ${styles.part}`}
          items={items}
          first={0}
          draw={draw}
        />
      ))}
    </div>
  );
}

/** aria-rowindex of the first item: row numbers start at 1, and the header is row 1. */
const rowBefore = 2;

function LongGrid<T extends Identified>({ label, columns, parts, total, root }: LongTableProps<T>) {
  const firsts = firstOfParts(parts);
  const draw = useCallback(
    (item: T, at: number) => (
      <TableRow key={item.id} item={item} columns={columns} actions={undefined} at={at + rowBefore} />
    ),
    [columns],
  );
  return (
    <table className={styles.table} aria-label={label} aria-rowcount={total === undefined ? -1 : total + 1}>
      <thead>
        <tr aria-rowindex={1}>
          {columns.map((column) => (
            <HeaderCell key={column.key} column={column} sorting={undefined} />
          ))}
        </tr>
      </thead>
      {parts.map((items, part) => (
        <ListPart key={keyOf(items)} tag="tbody" root={root} items={items} first={firsts[part] ?? 0} draw={draw} />
      ))}
    </table>
  );
}

/** Parts grow only at their start, so the last item identifies a part. */
function keyOf(items: readonly Identified[]): number {
  return items.at(-1)?.id ?? 0;
}
