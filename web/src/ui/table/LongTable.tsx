import { useMediaQuery } from '@mantine/hooks';
import { phone } from '../../shell/screen.ts';
import { ListPart } from '../ListPart.tsx';
import type { Column } from './column.ts';
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
  readonly getId: (item: T) => number;
  /** What scrolls around it. */
  readonly root: HTMLElement | null;
}

/** A table as long as it likes: what is far out of sight isn't drawn. On a phone, cards. */
export function LongTable<T>(props: LongTableProps<T>) {
  const { label, parts, getId, root } = props;
  const isPhone = useMediaQuery(phone, undefined, { getInitialValueInEffect: false });
  if (isPhone !== true) return <LongGrid {...props} />;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a list may hold nothing but items, and these stand in parts
    <div role="list" aria-label={label}>
      {parts.map((rows) => (
        <ListPart
          key={keyOf(rows, getId)}
          tag="div"
          root={root}
          className={styles.part}
          draw={() =>
            rows.map((row) => <TableCard key={getId(row)} item={row} columns={props.columns} actions={undefined} />)
          }
        />
      ))}
    </div>
  );
}

function LongGrid<T>({ label, columns, parts, total, getId, root }: LongTableProps<T>) {
  const firsts = firstRows(parts);
  return (
    <table className={`${styles.table} ${styles.long}`} aria-label={label} aria-rowcount={total ? total + 1 : -1}>
      <thead>
        <tr aria-rowindex={1}>
          {columns.map((column) => (
            <HeaderCell key={column.key} column={column} sorting={undefined} />
          ))}
        </tr>
      </thead>
      {parts.map((rows, part) => (
        <ListPart
          key={keyOf(rows, getId)}
          tag="tbody"
          root={root}
          draw={() =>
            rows.map((row, at) => (
              <TableRow
                key={getId(row)}
                item={row}
                columns={columns}
                actions={undefined}
                at={(firsts[part] ?? 0) + at + 2}
              />
            ))
          }
        />
      ))}
    </table>
  );
}

/** A part grows at its beginning, if at all. */
function keyOf<T>(rows: readonly T[], getId: (item: T) => number): number {
  const last = rows.at(-1);
  return last === undefined ? 0 : getId(last);
}

function firstRows(parts: readonly (readonly unknown[])[]): number[] {
  let first = 0;
  return parts.map(({ length }) => {
    first += length;
    return first - length;
  });
}
