import { Trans, useLingui } from '@lingui/react/macro';
import { Button, CloseButton, TextInput } from '@mantine/core';
import { IconFilter, IconGridDots, IconPlus } from '@tabler/icons-react';
import { useCallback, useDeferredValue, useId, useMemo, useState } from 'react';
import { deferredPart } from '../../lib/lazy-part.tsx';
import { usePhone } from '../../lib/screen.ts';
import { EmptyState } from '../../ui/layout/EmptyState.tsx';
import { axisOf } from './matrix/axis.ts';
import { columnGroups } from './matrix/column-groups.ts';
import { type AxisName, Matrix } from './matrix/Matrix.tsx';
import { MatrixKeys, MatrixLegend } from './matrix/MatrixLegend.tsx';
import styles from './NdiRouter.module.css';
import type { Router } from './router-query.ts';
import { inputText, outputText } from './router-text.ts';
import { useRouting } from './routing.ts';
import { useStaging } from './staging.ts';
import { TakeBar, TakeSwitch } from './TakeBar.tsx';
import { UndoButton } from './UndoButton.tsx';
import type { RouterActs } from './useRouterActs.ts';

const OutputFirst = deferredPart(() => import('./OutputFirst.tsx'));

export interface MatrixTabProps {
  readonly router: Router;
  readonly acts: RouterActs;
  readonly mayEdit: boolean;
  readonly openOutput: (id: number) => void;
  readonly openInput: (id: number) => void;
  readonly addOutput: () => void;
  readonly showSources: () => void;
}

/** The matrix; on a phone, a list of the outputs. */
export function MatrixTab(props: MatrixTabProps) {
  const { router, acts, mayEdit, addOutput, showSources } = props;
  const isPhone = usePhone();
  if (router.outputs.size === 0) {
    return (
      <EmptyState
        icon={IconGridDots}
        title={<Trans>No outputs yet</Trans>}
        action={
          mayEdit && (
            <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={addOutput}>
              <Trans>Add output</Trans>
            </Button>
          )
        }
      >
        <Trans>An output is a source on the network that shows what you route to it.</Trans>
      </EmptyState>
    );
  }
  if (shownInputs(router).length === 0) {
    return (
      <EmptyState
        icon={IconGridDots}
        title={<Trans>No inputs have a source yet</Trans>}
        action={
          <Button variant="default" onClick={showSources}>
            <Trans>Show sources</Trans>
          </Button>
        }
      >
        <Trans>Each source that you add gets an input, whose number stays the same.</Trans>
      </EmptyState>
    );
  }
  return isPhone ? (
    <OutputFirst router={router} acts={acts} mayEdit={mayEdit} isWall={false} />
  ) : (
    <WideMatrix {...props} />
  );
}

/** Hides empty inputs without a label or a routed output, which only take up space. */
export function shownInputs({ inputs, outputs }: Router) {
  const routed = new Set([...outputs.values()].map((output) => output.in));
  return [...inputs.values()].filter(({ id, source, label }) => source !== null || label !== '' || routed.has(id));
}

function WideMatrix({ router, acts, mayEdit, openOutput, openInput }: MatrixTabProps) {
  const { t } = useLingui();
  const keysId = useId();
  const { filters, setFilter, folded, fold } = useAxes();
  const asked = useRouting((state) => state.asked);
  const staged = useStaging((state) => state.staged);
  const columns = useMemo(() => {
    const shown = shownInputs(router);
    const groups = columnGroups(shown);
    return axisOf(
      shown.map((input) => ({
        ...{ id: input.id, group: groups.get(input.id) ?? '' },
        words: `${input.id} ${inputText(input)} ${input.source ?? ''} ${input.group}`,
      })),
      { folded: folded.columns, filter: filters.columns, hasNone: true, hasHeadings: false },
    );
  }, [router, folded.columns, filters.columns]);
  const rows = useMemo(
    () =>
      axisOf(
        [...router.outputs.values()].map((output) => ({
          ...{ id: output.id, group: output.group },
          words: `${output.id} ${outputText(output)} ${output.name} ${output.group}`,
        })),
        { folded: folded.rows, filter: filters.rows, hasNone: false, hasHeadings: true },
      ),
    [router, folded.rows, filters.rows],
  );
  const matrixActs = useMemo(() => ({ ...acts, fold, openOutput, openInput }), [acts, fold, openOutput, openInput]);
  return (
    <div className={styles.matrixTab}>
      <div className={styles.toolbar}>
        <AxisFilter label={t`Filter outputs`} change={(text) => setFilter('rows', text)} />
        <AxisFilter label={t`Filter sources`} change={(text) => setFilter('columns', text)} />
        <div className={styles.toolbarEnd}>
          <TakeSwitch />
          <UndoButton router={router} acts={acts} mayEdit={mayEdit} />
        </div>
      </div>
      <div className={styles.matrix}>
        <Matrix
          label={t`Crosspoints`}
          describedBy={keysId}
          inputs={router.inputs}
          outputs={router.outputs}
          {...{ rows, columns, asked, staged }}
          isReadOnly={!mayEdit}
          acts={matrixActs}
        />
      </div>
      <TakeBar router={router} acts={acts} mayEdit={mayEdit} />
      <div className={styles.foot}>
        <MatrixLegend />
        <MatrixKeys id={keysId} />
      </div>
    </div>
  );
}

/** Filters and folded groups, kept until the user leaves the page. */
function useAxes() {
  const [typed, setTyped] = useState({ rows: '', columns: '' });
  const filters = useDeferredValue(typed);
  const [folded, setFolded] = useState<Readonly<Record<AxisName, ReadonlySet<string>>>>({
    rows: new Set(),
    columns: new Set(),
  });
  const setFilter = (axis: AxisName, text: string) => setTyped((before) => ({ ...before, [axis]: text }));
  const fold = useCallback(
    (axis: AxisName, group: string) =>
      setFolded((before) => ({ ...before, [axis]: before[axis].symmetricDifference(new Set([group])) })),
    [],
  );
  return { filters, setFilter, folded, fold };
}

function AxisFilter({ label, change }: { label: string; change: (text: string) => void }) {
  const { t } = useLingui();
  const [text, setText] = useState('');
  const set = (next: string) => {
    setText(next);
    change(next);
  };
  return (
    <TextInput
      type="search"
      size="xs"
      className={styles.filter ?? ''}
      aria-label={label}
      placeholder={label}
      value={text}
      onChange={(event) => set(event.currentTarget.value)}
      leftSection={<IconFilter size={15} aria-hidden />}
      rightSection={text !== '' && <CloseButton size="sm" aria-label={t`Clear the filter`} onClick={() => set('')} />}
    />
  );
}
