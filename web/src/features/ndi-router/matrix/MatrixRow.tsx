import { useLingui } from '@lingui/react/macro';
import { IconAlertTriangle, IconLock } from '@tabler/icons-react';
import { type CSSProperties, memo, useMemo } from 'react';
import type { NdiOutput } from '../../../../../daemon/contract/ndi-router.ts';
import { outputText } from '../router-text.ts';
import type { Line } from './axis.ts';
import styles from './Matrix.module.css';
import { type Mark, type Marks, marksOf } from './marks.ts';
import type { Range } from './window.ts';

/** The element id of a crosspoint or header, for aria-activedescendant of the grid. */
export const placeId = (grid: string, row: number, column: number) => `${grid}-${row}-${column}`;

/** Custom properties of the style sheet. */
export const variables = (all: Readonly<Record<`--${string}`, string | number>>) => all as CSSProperties;

/** aria-colindex of the first crosspoint: indexes start at 1, and the first column has the row headers. */
export const beforeColumns = 2;

interface MatrixRowProps {
  readonly grid: string;
  readonly output: NdiOutput;
  /** Label of the source that it is routed to; undefined for none. */
  readonly source: string | undefined;
  /** See `marksOf`. */
  readonly sends: number | null | undefined;
  readonly row: number;
  readonly top: number;
  readonly rowIndex: number;
  readonly columns: readonly Line[];
  readonly blocks: readonly Range[];
  readonly asked: number | null | undefined;
  readonly staged: number | null | undefined;
}

/** An output with its crosspoints. */
export const MatrixRow = memo(function MatrixRow(props: MatrixRowProps) {
  const { grid, output, source, sends, row, top, rowIndex, columns, blocks, asked, staged } = props;
  const { in: routed, substitute, applied: isApplied, waiting: isWaiting } = output;
  const marks = useMemo(
    () => marksOf({ routed, substitute, isApplied, isWaiting, sends, asked, staged }),
    [routed, substitute, isApplied, isWaiting, sends, asked, staged],
  );
  return (
    <div
      role="row"
      className={styles.row}
      style={{ top }}
      aria-rowindex={rowIndex}
      data-row={row}
      data-locked={output.lock !== null}
    >
      <RowHead grid={grid} row={row} output={output} source={source} />
      {blocks.map((block) => (
        <Cells key={block.from} grid={grid} row={row} block={block} columns={columns} marks={marks} />
      ))}
    </div>
  );
});

type RowHeadProps = Pick<MatrixRowProps, 'grid' | 'row' | 'output' | 'source'>;

function RowHead({ grid, row, output, source }: RowHeadProps) {
  const { t } = useLingui();
  const { id, receivers, lock, fault } = output;
  const owner = lock?.owner;
  return (
    <div
      role="rowheader"
      id={placeId(grid, row, -1)}
      className={styles.rowHead}
      aria-colindex={1}
      data-column={-1}
      title={output['full-name']}
    >
      <span className={styles.number}>{id}</span>
      <span className={styles.names}>
        <span className={styles.name}>{outputText(output)}</span>
        <span className={styles.faint}>{source ?? t`None`}</span>
      </span>
      {fault && <Sign icon={IconAlertTriangle} tone="fault" text={fault === 'nameTaken' ? t`Name taken` : t`Failed`} />}
      {owner !== undefined && <Sign icon={IconLock} tone="off" text={t`Locked by ${owner}`} />}
      {receivers > 0 && (
        <span className={styles.receivers} title={t`Connected receivers`}>
          {receivers}
        </span>
      )}
    </div>
  );
}

function Sign({ icon: Icon, tone, text }: { icon: typeof IconLock; tone: string; text: string }) {
  return (
    <span role="img" className={styles.sign} data-tone={tone} aria-label={text} title={text}>
      <Icon size={15} aria-hidden />
    </span>
  );
}

interface CellsProps extends Pick<MatrixRowProps, 'grid' | 'row' | 'columns'> {
  readonly block: Range;
  readonly marks: Marks;
}

/** Some neighboring crosspoints of an output. */
const Cells = memo(
  function Cells({ grid, row, block, columns, marks }: CellsProps) {
    return (
      <div role="presentation" className={styles.block} style={variables({ '--at': block.from })}>
        {columns.slice(block.from, block.to).map((line, at) => {
          const column = block.from + at;
          return (
            <div
              key={column}
              role="gridcell"
              id={placeId(grid, row, column)}
              className={styles.cell}
              aria-colindex={beforeColumns + column}
              data-column={column}
              data-kind={line.kind}
              data-mark={markAt(line, marks)}
            />
          );
        })}
      </div>
    );
  },
  // A route of an output renders only the blocks in which a mark appears or disappears.
  (before, next) =>
    before.row === next.row &&
    before.columns === next.columns &&
    before.block.from === next.block.from &&
    before.block.to === next.block.to &&
    (before.marks === next.marks ||
      next.columns
        .slice(next.block.from, next.block.to)
        .every((line) => markAt(line, before.marks) === markAt(line, next.marks))),
);

export function markAt(line: Line, marks: Marks): Mark | undefined {
  if (line.kind === 'group') return undefined;
  return marks.get(line.kind === 'none' ? null : line.id);
}
