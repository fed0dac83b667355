import { useMediaQuery } from '@mantine/hooks';
import {
  type KeyboardEvent,
  type MouseEvent,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { NdiInput, NdiOutput } from '../../../../../daemon/contract/ndi-router.ts';
import { useTablet } from '../../../lib/screen.ts';
import type { Axis, Line } from './axis.ts';
import { moved, type Place } from './grid-moves.ts';
import styles from './Matrix.module.css';
import { MatrixHeads } from './MatrixHeads.tsx';
import { placeId, variables } from './MatrixRow.tsx';
import { MatrixSections } from './MatrixSections.tsx';
import type { Mark } from './marks.ts';
import { actOfKey } from './matrix-keys.ts';
import { crossAt, placeOf } from './matrix-pointer.ts';
import { pointAtInput } from './pointed-input.ts';
import { useMatrixWindow } from './useMatrixWindow.ts';
import { usePlaceText } from './usePlaceText.ts';
import { blockSizes, blocksOf } from './window.ts';

export type AxisName = 'rows' | 'columns';

export interface MatrixActs {
  /** `input`: null for none. */
  readonly route: (output: number, input: number | null) => void;
  readonly lock: (output: number) => void;
  readonly undo: () => void;
  readonly take: () => void;
  readonly fold: (axis: AxisName, group: string) => void;
  readonly openOutput: (id: number) => void;
  readonly openInput: (id: number) => void;
}

export interface MatrixProps {
  readonly label: string;
  /** Id of the text that lists the keys. */
  readonly describedBy: string;
  readonly inputs: ReadonlyMap<number, NdiInput>;
  readonly outputs: ReadonlyMap<number, NdiOutput>;
  readonly rows: Axis;
  readonly columns: Axis;
  /** Requested inputs that the hub has not confirmed yet, by output; null: no source. */
  readonly asked: ReadonlyMap<number, number | null>;
  readonly staged: ReadonlyMap<number, number | null>;
  readonly isReadOnly: boolean;
  readonly acts: MatrixActs;
}

const bandsPx = 30;
const headsPx = 132;

/**
 * Sources as columns, outputs as rows. The grid keeps the focus and refers to its active crosspoint
 * (aria-activedescendant) by source and output, so that a key acts on the visible crosspoint even if rows are added.
 */
export function Matrix(props: MatrixProps) {
  const { label, describedBy, inputs, outputs, rows, columns, asked, staged, isReadOnly, acts } = props;
  const id = useId();
  const isCoarse = useMediaQuery('(pointer: coarse)', undefined, { getInitialValueInEffect: false }) === true;
  const isTablet = useTablet();
  const hasBands = columns.spans.length > 0;
  // A crosspoint is one pixel smaller than its line.
  const [line, side] = [isCoarse ? 45 : 40, isTablet ? 184 : 248];
  const head = headsPx + (hasBands ? bandsPx : 0);
  const counts = { rows: rows.lines.length, columns: columns.lines.length };
  const { grid, ranges, page, update, show } = useMatrixWindow({ line, side, head, ...counts });
  const [cursor, setCursor] = useState({ row: '', column: '' });
  const cross = useRef<HTMLDivElement>(null);
  const place: Place = { row: indexOf(rows.lines, cursor.row), column: indexOf(columns.lines, cursor.column) };
  const activeId = placeId(id, place.row, rows.lines[place.row]?.kind === 'group' ? -1 : place.column);
  useActive(activeId, usePlaceText({ rows, columns, inputs, outputs }), place);
  const inputOf = useMemo(() => {
    const known = [...inputs.values()].flatMap(({ id: input, source }) => (source === null ? [] : [[source, input]]));
    // Of inputs with the same source, the first one counts.
    return new Map(known.toReversed() as [string, number][]);
  }, [inputs]);
  const blocks = useMemo(() => blocksOf(ranges.columns, blockSizes.columns), [ranges.columns]);

  const point = (at: Place | undefined) => {
    crossAt(cross.current, at, { line, side, head });
    pointAtInput(at && inputAt(at));
  };
  useEffect(() => () => pointAtInput(undefined), []);
  const inputAt = (at: Place): number | undefined => {
    const [row, column] = [rows.lines[at.row], columns.lines[at.column]];
    if (column !== undefined) return column.kind === 'item' ? column.id : undefined;
    const output = row?.kind === 'item' ? outputs.get(row.id) : undefined;
    return output?.substitute ?? output?.in ?? undefined;
  };
  const select = (at: Place) => setCursor({ row: keyAt(rows.lines, at.row), column: keyAt(columns.lines, at.column) });
  const press = (at: Place) => {
    const [row, column] = [rows.lines[at.row], columns.lines[at.column]];
    if (row?.kind === 'group') acts.fold('rows', row.group.name);
    else if (column?.kind === 'group') acts.fold('columns', column.group.name);
    else if (row?.kind === 'item' && column === undefined) acts.openOutput(row.id);
    else if (row?.kind === 'item') acts.route(row.id, column?.kind === 'item' ? column.id : null);
    else if (column?.kind === 'item') acts.openInput(column.id);
  };
  const foldAt = (axis: AxisName, index: number) => {
    const { spans } = axis === 'rows' ? rows : columns;
    const span = spans.find(({ from, to }) => index >= from && index < to);
    if (span) acts.fold(axis, span.group.name);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const pressed = {
      ...{ key: event.key, alt: event.altKey, shift: event.shiftKey },
      ctrl: event.ctrlKey || event.metaKey,
    };
    const next = moved(place, pressed, { ...counts, page });
    const act = actOfKey(pressed);
    if (next === undefined && act === undefined) return;
    event.preventDefault();
    if (next !== undefined) {
      select(next);
      show(next);
      return point(next);
    }
    const row = rows.lines[place.row];
    if (act === 'press') press(place);
    else if (act === 'take') acts.take();
    else if (act === 'undo') acts.undo();
    else if (act === 'foldColumns') foldAt('columns', place.column);
    else if (act === 'foldRows') foldAt('rows', place.row);
    else if (row?.kind === 'item') act === 'clear' ? acts.route(row.id, null) : acts.lock(row.id);
  };
  const onClick = ({ target }: MouseEvent<HTMLDivElement>) => {
    const fold = (target as Element).closest<HTMLElement>('[data-fold]');
    if (fold) return acts.fold(fold.dataset.fold as AxisName, fold.dataset.group ?? '');
    const at = placeOf(target);
    if (at === undefined) return;
    select(at);
    press(at);
  };
  const firstRow = hasBands ? 3 : 2;
  const shared = { grid: id, inputs, blocks };
  return (
    <div
      ref={grid}
      role="grid"
      tabIndex={0}
      className={styles.grid}
      style={variables({ '--line': `${line}px`, '--side': `${side}px`, '--head': `${head}px` })}
      aria-label={label}
      aria-describedby={describedBy}
      aria-rowcount={firstRow - 1 + counts.rows}
      aria-colcount={1 + counts.columns}
      aria-readonly={isReadOnly}
      aria-activedescendant={activeId}
      onScroll={update}
      onKeyDown={onKeyDown}
      onClick={onClick}
      onMouseDown={keepFocus}
      onPointerOver={({ target }) => point(placeOf(target))}
      onPointerLeave={() => point(undefined)}
    >
      <div
        role="presentation"
        className={styles.canvas}
        style={{ width: side + counts.columns * line, height: head + counts.rows * line }}
      >
        <div role="rowgroup" className={styles.top}>
          <MatrixHeads {...shared} columns={columns.lines} spans={columns.spans} />
        </div>
        <MatrixSections
          {...{ ...shared, outputs, inputOf, rows, asked, staged, line, head, firstRow }}
          columns={columns.lines}
          range={ranges.rows}
        />
        <div ref={cross} role="presentation" aria-hidden="true">
          <div className={styles.across} hidden />
          <div className={styles.down} hidden />
        </div>
      </div>
    </div>
  );
}

/**
 * Marks and labels the active crosspoint or header after each render, because a crosspoint that scrolls back into view
 * is a new element. The thousands of other crosspoints have no label.
 */
function useActive(id: string, textOf: ReturnType<typeof usePlaceText>, place: Place): void {
  useLayoutEffect(() => {
    const active = document.getElementById(id);
    if (active === null) return;
    active.dataset.active = 'true';
    const isCrosspoint = active.getAttribute('role') === 'gridcell';
    if (isCrosspoint) active.setAttribute('aria-label', textOf(place, active.dataset.mark as Mark | undefined));
    return () => {
      delete active.dataset.active;
      if (isCrosspoint) active.removeAttribute('aria-label');
    };
  });
}

/** Keeps the focus in the grid, which a click on a fold button would take away. */
function keepFocus(event: MouseEvent<HTMLDivElement>): void {
  if ((event.target as Element).closest('[data-fold]')) event.preventDefault();
}

/** The key of the headers; no line has it. */
const headKey = 'head';

function keyOf(line: Line): string {
  if (line.kind === 'none') return line.kind;
  return line.kind === 'item' ? `item ${line.id}` : `group ${line.group.name}`;
}

function keyAt(lines: readonly Line[], index: number): string {
  const line = lines[index];
  return line === undefined ? headKey : keyOf(line);
}

/** Returns the index of the line with the key: -1 for the headers, 0 if the line no longer exists. */
function indexOf(lines: readonly Line[], key: string): number {
  return key === headKey
    ? -1
    : Math.max(
        0,
        lines.findIndex((line) => keyOf(line) === key),
      );
}
