import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { memo } from 'react';
import type { NdiInput } from '../../../../../daemon/contract/ndi-router.ts';
import { deferredPart } from '../../../lib/lazy-part.tsx';
import { shortInputText } from '../router-text.ts';
import type { AxisGroup, Line, Span } from './axis.ts';
import styles from './Matrix.module.css';
import { beforeColumns, placeId, variables } from './MatrixRow.tsx';
import type { Range } from './window.ts';

const PointedPicture = deferredPart(() => import('./PointedPicture.tsx'));

interface MatrixHeadsProps {
  readonly grid: string;
  readonly columns: readonly Line[];
  readonly spans: readonly Span[];
  readonly inputs: ReadonlyMap<number, NdiInput>;
  readonly blocks: readonly Range[];
}

/** The column headers, and the groups above them if there are any. */
export const MatrixHeads = memo(function MatrixHeads({ grid, columns, spans, inputs, blocks }: MatrixHeadsProps) {
  const hasGroups = spans.length > 0;
  const [first, last] = [blocks[0]?.from ?? 0, blocks.at(-1)?.to ?? 0];
  return (
    <>
      {hasGroups && (
        <div role="row" className={styles.bands} aria-rowindex={1}>
          {spans
            .filter(({ from, to }) => to > first && from < last)
            .map(({ group, from, to }) => (
              <div
                key={group.name}
                role="columnheader"
                className={styles.band}
                style={variables({ '--at': from, '--count': to - from })}
                aria-colindex={beforeColumns + from}
                aria-colspan={to - from}
              >
                <FoldButton group={group} axis="columns" />
              </div>
            ))}
        </div>
      )}
      <div role="row" className={styles.heads} aria-rowindex={hasGroups ? 2 : 1} data-row={-1}>
        <div role="columnheader" className={styles.corner} aria-colindex={1}>
          <span className={styles.cornerSources} aria-hidden>
            <Trans>Sources</Trans> →
          </span>
          <span className={styles.pointed} aria-hidden>
            <PointedPicture inputs={inputs} />
          </span>
          <span>
            <Trans>Outputs</Trans> <span aria-hidden>↓</span>
          </span>
        </div>
        {blocks.map((block) => (
          <div key={block.from} role="presentation" className={styles.block} style={variables({ '--at': block.from })}>
            {columns.slice(block.from, block.to).map((line, at) => {
              const column = block.from + at;
              const input = line.kind === 'item' ? inputs.get(line.id) : undefined;
              return <ColumnHead key={column} grid={grid} line={line} column={column} input={input} />;
            })}
          </div>
        ))}
      </div>
    </>
  );
});

interface ColumnHeadProps {
  readonly grid: string;
  readonly line: Line;
  readonly column: number;
  readonly input: NdiInput | undefined;
}

function ColumnHead({ grid, line, column, input }: ColumnHeadProps) {
  const { t } = useLingui();
  const place = {
    role: 'columnheader',
    id: placeId(grid, -1, column),
    className: styles.columnHead,
    'aria-colindex': beforeColumns + column,
    'data-column': column,
    'data-kind': line.kind,
  };
  if (line.kind === 'none') {
    return (
      <div {...place}>
        <span className={styles.upright}>{t`None`}</span>
      </div>
    );
  }
  if (line.kind === 'group') {
    return (
      <div {...place}>
        <span className={styles.upright}>
          <Plural value={line.group.count} one="# source" other="# sources" />
        </span>
      </div>
    );
  }
  const isOnline = input?.online ?? false;
  return (
    <div {...place} data-online={isOnline} title={input?.source ?? undefined}>
      <span className={styles.number}>{line.id}</span>
      <span className={styles.upright}>{input === undefined ? line.id : shortInputText(input)}</span>
      {!isOnline && <span className={styles.hidden}>{t`Offline`}</span>}
    </div>
  );
}

/** Folds a group of rows or columns. Not in the tab order, because the grid is, and has keys for folding. */
export function FoldButton({ group: { name, count, isFolded }, axis }: { group: AxisGroup; axis: 'rows' | 'columns' }) {
  const { t } = useLingui();
  const Icon = isFolded ? IconChevronRight : IconChevronDown;
  return (
    <button
      type="button"
      tabIndex={-1}
      className={styles.fold}
      aria-expanded={!isFolded}
      data-fold={axis}
      data-group={name}
      title={name || t`No group`}
    >
      <Icon size={15} aria-hidden />
      <span className={styles.foldName}>{name || t`No group`}</span>
      <span className={styles.faint}>{count}</span>
    </button>
  );
}
