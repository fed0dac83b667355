import { useMediaQuery } from '@mantine/hooks';
import { useCallback } from 'react';
import { phone } from '../../shell/screen.ts';
import { firstOfParts, ListPart } from '../ListPart.tsx';
import { type Column, leastWidth } from './column.ts';
import styles from './DataTable.module.css';
import { HeaderCell } from './HeaderCell.tsx';
import { TableCard } from './TableCard.tsx';
import { TableRow } from './TableRow.tsx';

interface LongTableProps<T> {
  readonly label: string;
  readonly columns: readonly Column<T>[];
  /** Rows as they were loaded, some at a time. */
  readonly parts: readonly (readonly T[])[];
  /** How many rows there are, loaded or not; undefined where nobody has counted. */
  readonly total: number | undefined;
  /** A stable function. */
  readonly getId: (item: T) => number;
  /** What scrolls around it. */
  readonly root: HTMLElement | null;
}

/** A table as long as it likes: what is far out of sight isn't drawn. On a phone, cards. */
export function LongTable<T>(props: LongTableProps<T>) {
  const isPhone = useMediaQuery(phone, undefined, { getInitialValueInEffect: false });
  return isPhone === true ? <LongCards {...props} /> : <LongGrid {...props} />;
}

function LongCards<T>({ label, columns, parts, getId, root }: LongTableProps<T>) {
  const draw = useCallback(
    (item: T) => <TableCard key={getId(item)} item={item} columns={columns} actions={undefined} />,
    [columns, getId],
  );
  return (
    // biome-ignore lint/a11y/useSemanticElements: a list may hold nothing but items, and these stand in parts
    <div role="list" aria-label={label}>
      {parts.map((items) => (
        <ListPart
          key={keyOf(items, getId)}
          tag="div"
          root={root}
          className={styles.part}
          items={items}
          first={0}
          draw={draw}
        />
      ))}
    </div>
  );
}

/** The head is the first row. */
const rowBefore = 2;

function LongGrid<T>({ label, columns, parts, total, getId, root }: LongTableProps<T>) {
  const firsts = firstOfParts(parts);
  const draw = useCallback(
    (item: T, at: number) => (
      <TableRow key={getId(item)} item={item} columns={columns} actions={undefined} at={at + rowBefore} />
    ),
    [columns, getId],
  );
  return (
    <table
      className={`${styles.table} ${styles.long}`}
      style={{ minWidth: leastWidth(columns) }}
      aria-label={label}
      aria-rowcount={total === undefined ? -1 : total + 1}
    >
      <thead>
        <tr aria-rowindex={1}>
          {columns.map((column) => (
            <HeaderCell key={column.key} column={column} sorting={undefined} />
          ))}
        </tr>
      </thead>
      {parts.map((items, part) => (
        <ListPart
          key={keyOf(items, getId)}
          tag="tbody"
          root={root}
          items={items}
          first={firsts[part] ?? 0}
          draw={draw}
        />
      ))}
    </table>
  );
}

/** A part grows at its beginning, if at all. */
function keyOf<T>(items: readonly T[], getId: (item: T) => number): number {
  const last = items.at(-1);
  return last === undefined ? 0 : getId(last);
}
