import type { NdiInput, NdiOutput } from '../../../../../daemon/contract/ndi-router.ts';
import { inputText } from '../router-text.ts';
import type { Axis, AxisGroup, Line } from './axis.ts';
import styles from './Matrix.module.css';
import { FoldButton } from './MatrixHeads.tsx';
import { MatrixRow, placeId } from './MatrixRow.tsx';
import type { Range } from './window.ts';

interface MatrixSectionsProps {
  readonly grid: string;
  readonly inputs: ReadonlyMap<number, NdiInput>;
  readonly outputs: ReadonlyMap<number, NdiOutput>;
  /** The input that has a source; undefined for none. */
  readonly inputOf: ReadonlyMap<string, number>;
  readonly rows: Axis;
  readonly columns: readonly Line[];
  /** The rows that are drawn. */
  readonly range: Range;
  readonly blocks: readonly Range[];
  readonly asked: ReadonlyMap<number, number | null>;
  readonly staged: ReadonlyMap<number, number | null>;
  /** Heights in pixels. */
  readonly line: number;
  readonly head: number;
  /** aria-rowindex of the first row. */
  readonly firstRow: number;
}

/** The rows by group. The heading of a group stays visible while its rows are. */
export function MatrixSections(props: MatrixSectionsProps) {
  const { grid, rows, range, line, head, firstRow } = props;
  return sectionsOf(rows).map(({ group, first, to }) => {
    if (to <= range.from || first >= range.to) return null;
    return (
      <div
        key={group?.name ?? 'all'}
        role="rowgroup"
        className={styles.section}
        style={{ top: head + first * line, height: (to - first) * line }}
      >
        {group && (
          <div role="row" className={styles.heading} aria-rowindex={firstRow + first} data-row={first}>
            <div role="rowheader" id={placeId(grid, first, -1)} className={styles.headingName} data-column={-1}>
              <FoldButton group={group} axis="rows" />
            </div>
          </div>
        )}
        <SectionRows {...props} first={first} to={to} />
      </div>
    );
  });
}

function SectionRows(props: MatrixSectionsProps & { readonly first: number; readonly to: number }) {
  const { grid, inputs, outputs, inputOf, rows, columns, range, blocks, asked, staged, line, firstRow } = props;
  const from = Math.max(props.first, range.from);
  return rows.lines.slice(from, Math.min(props.to, range.to)).map((one, at) => {
    const output = one.kind === 'item' ? outputs.get(one.id) : undefined;
    if (output === undefined) return null;
    const row = from + at;
    const input = output.in === null ? undefined : inputs.get(output.in);
    const sent = output['applied-source'];
    return (
      <MatrixRow
        key={output.id}
        grid={grid}
        output={output}
        source={input && inputText(input)}
        sends={sent === null ? null : inputOf.get(sent)}
        row={row}
        top={(row - props.first) * line}
        rowIndex={firstRow + row}
        columns={columns}
        blocks={blocks}
        asked={asked.get(output.id)}
        staged={staged.get(output.id)}
      />
    );
  });
}

interface Section {
  /** Undefined if the rows have no groups. */
  readonly group: AxisGroup | undefined;
  /** The first line, which is the heading of the group. */
  readonly first: number;
  /** Exclusive. */
  readonly to: number;
}

function sectionsOf({ lines, spans }: Axis): Section[] {
  if (spans.length === 0) return [{ group: undefined, first: 0, to: lines.length }];
  return spans.map(({ group, from, to }) => ({ group, first: group.isFolded ? from : from - 1, to }));
}
