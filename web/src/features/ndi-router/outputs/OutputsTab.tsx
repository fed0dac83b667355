import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import {
  IconArrowBackUp,
  IconDotsVertical,
  IconGridDots,
  IconLock,
  IconLockOpen,
  IconPencil,
  IconPlus,
  IconTrash,
} from '@tabler/icons-react';
import { useCallback, useMemo } from 'react';
import type { NdiOutput } from '../../../../../daemon/contract/ndi-router.ts';
import { EmptyState } from '../../../ui/layout/EmptyState.tsx';
import { confirm } from '../../../ui/overlay/confirm.ts';
import { DropMenu } from '../../../ui/overlay/DropMenu.tsx';
import { WithReason } from '../../../ui/overlay/WithReason.tsx';
import type { BulkAct } from '../../../ui/table/bulk.ts';
import type { Column, StateFilter } from '../../../ui/table/column.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { numberedColumns } from '../numbered-columns.ts';
import { deleteOutputs, lockOutputs, type Router } from '../router-query.ts';
import { inputText, outputText } from '../router-text.ts';
import { undoRoutes } from '../routing.ts';
import { type RouterActs, useNoEditReason } from '../useRouterActs.ts';
import { OutputState } from './OutputState.tsx';

interface OutputsTabProps {
  readonly router: Router;
  readonly acts: RouterActs;
  readonly mayEdit: boolean;
  readonly openOutput: (id: number) => void;
  readonly addOutput: () => void;
}

type OutputRow = NdiOutput & { readonly source: string | null; readonly routed: string };

const { number, label, group } = numberedColumns<OutputRow>(msg`Output`);

const columns: readonly Column<OutputRow>[] = [
  number,
  label,
  {
    key: 'state',
    title: msg`State`,
    width: 190,
    cell: (output) => <OutputState output={output} />,
    onCard: 'state',
  },
  {
    key: 'routed',
    title: msg`Source`,
    minWidth: 140,
    priority: 1,
    cell: ({ routed }) => routed,
    sortValue: ({ routed }) => routed,
    searchText: ({ routed }) => routed,
    onCard: 'line',
  },
  {
    key: 'full-name',
    title: msg`Name on the network`,
    minWidth: 180,
    cell: (output) => output['full-name'],
    sortValue: (output) => output['full-name'],
    searchText: (output) => output['full-name'],
  },
  {
    key: 'receivers',
    title: msg`Receivers`,
    width: 110,
    isRight: true,
    cell: ({ receivers }) => receivers,
    sortValue: ({ receivers }) => receivers,
  },
  {
    key: 'lock',
    title: msg`Locked by`,
    width: 140,
    priority: 1,
    cell: ({ lock }) => lock?.owner,
    sortValue: ({ lock }) => lock?.owner ?? '',
    searchText: ({ lock }) => lock?.owner ?? '',
  },
  group,
];

const states: readonly StateFilter<OutputRow>[] = [
  { key: 'locked', title: msg`Locked`, has: ({ lock }) => lock !== null },
];

const bulk: readonly BulkAct<OutputRow>[] = [
  {
    ...{ key: 'lock', title: msg`Lock`, icon: IconLock },
    appliesTo: ({ lock }) => lock === null,
    ask: () => undefined,
    run: ({ id }) => lockOutputs({ out: id, locked: true }),
  },
  {
    ...{ key: 'unlock', title: msg`Unlock`, icon: IconLockOpen },
    appliesTo: ({ lock }) => lock !== null,
    ask: (items, i18n) => ({
      title: i18n._(msg`Unlock ${items.length} outputs?`),
      consequence: i18n._(msg`This also removes the locks of other users. Any user can then switch these outputs.`),
      verb: i18n._(msg`Unlock`),
    }),
    run: ({ id }) => lockOutputs({ out: id, locked: false, force: true }),
  },
];

export default function OutputsTab({ router, acts, mayEdit, openOutput, addOutput }: OutputsTabProps) {
  const { t } = useLingui();
  const noEdit = useNoEditReason(mayEdit);
  const { outputs, inputs } = router;
  const rows = useMemo(
    () =>
      [...outputs.values()].map((output): OutputRow => {
        const input = output.in === null ? undefined : inputs.get(output.in);
        return { ...output, name: outputText(output), routed: input ? inputText(input) : '' };
      }),
    [outputs, inputs],
  );
  const actions = useCallback(
    (output: OutputRow) => <OutputMenu output={output} edit={openOutput} lock={acts.lock} />,
    [openOutput, acts],
  );
  const limit = router.router.outputs;
  const full =
    outputs.size >= limit ? t`The router has ${limit} outputs. Increase their number on the Settings tab.` : undefined;
  const add = (
    <WithReason reason={noEdit ?? full}>
      <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={addOutput}>
        <Trans>Add output</Trans>
      </Button>
    </WithReason>
  );
  return (
    <DataTable
      id="ndi-outputs"
      label={t`Outputs`}
      columns={columns}
      items={rows}
      states={states}
      filter={add}
      {...(mayEdit && { rowActions: actions, bulk })}
      actionsWidth={48}
      empty={
        <EmptyState icon={IconGridDots} title={<Trans>No outputs yet</Trans>} action={add}>
          <Trans>An output is a source on the network that shows what you route to it.</Trans>
        </EmptyState>
      }
    />
  );
}

interface OutputMenuProps {
  readonly output: OutputRow;
  readonly edit: (id: number) => void;
  readonly lock: (id: number) => void;
}

function OutputMenu({ output, edit, lock }: OutputMenuProps) {
  const { t } = useLingui();
  const { id, name, previous } = output;
  const isLocked = output.lock !== null;
  const remove = () =>
    confirm({
      title: t`Delete “${name}”?`,
      consequence: t`The source disappears from the network. The other outputs keep their numbers.`,
      verb: t`Delete`,
      isDangerous: true,
      forced: {
        consequence: () => t`This output is routed, locked, or has receivers. They lose their picture.`,
        verb: t`Delete anyway`,
      },
      run: (force) => deleteOutputs({ id, force }),
      done: t`“${name}” was deleted.`,
    });
  return (
    <DropMenu
      label={t`More actions for ${name}`}
      trigger={<IconDotsVertical size={16} stroke={1.7} aria-hidden />}
      items={() => [
        { key: 'edit', text: t`Edit`, icon: IconPencil, onSelect: () => edit(id) },
        {
          ...{ key: 'lock', text: isLocked ? t`Unlock` : t`Lock`, icon: isLocked ? IconLockOpen : IconLock },
          onSelect: () => lock(id),
        },
        {
          ...{ key: 'undo', text: t`Undo last switch`, icon: IconArrowBackUp },
          disabledReason: previous === undefined ? t`There is nothing to undo.` : undefined,
          onSelect: () => void undoRoutes([id]),
        },
        { key: 'delete', text: t`Delete`, icon: IconTrash, isDangerous: true, onSelect: remove },
      ]}
    />
  );
}
