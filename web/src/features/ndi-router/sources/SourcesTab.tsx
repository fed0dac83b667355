import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import {
  IconCircleDashed,
  IconCircleFilled,
  IconDotsVertical,
  IconPencil,
  IconPlugConnectedX,
  IconTrash,
} from '@tabler/icons-react';
import { useCallback, useMemo } from 'react';
import type { NdiInput } from '../../../../../daemon/contract/ndi-router.ts';
import { ndiMachine } from '../../../../../daemon/contract/ndi-router-words.ts';
import { Moment } from '../../../ui/data/Moment.tsx';
import { type Look, LookMark } from '../../../ui/data/StateMark.tsx';
import { ActFault } from '../../../ui/feedback/ActFault.tsx';
import { useAct } from '../../../ui/form/useAct.ts';
import { EmptyState } from '../../../ui/layout/EmptyState.tsx';
import { Panel } from '../../../ui/layout/Panel.tsx';
import { confirm } from '../../../ui/overlay/confirm.ts';
import { DropMenu } from '../../../ui/overlay/DropMenu.tsx';
import { WithReason } from '../../../ui/overlay/WithReason.tsx';
import type { Column } from '../../../ui/table/column.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import styles from '../NdiRouter.module.css';
import { changeInput, type Router, useSources } from '../router-query.ts';
import { inputText } from '../router-text.ts';
import { tell } from '../routing.ts';
import { useNoEditReason } from '../useRouterActs.ts';

interface SourcesTabProps {
  readonly router: Router;
  readonly mayEdit: boolean;
  readonly openInput: (id: number) => void;
}

/** An input in a table, whose rows have names. */
type InputRow = NdiInput & { readonly name: string; readonly backup: string };

const looks: Readonly<Record<'online' | 'offline' | 'empty', Look>> = {
  online: { tone: 'live', icon: IconCircleFilled, text: msg`Online` },
  offline: { tone: 'warn', icon: IconPlugConnectedX, text: msg`Offline` },
  empty: { tone: 'off', icon: IconCircleDashed, text: msg`Empty` },
};
const stateOf = ({ source, online }: NdiInput) => (source === null ? 'empty' : online ? 'online' : 'offline');

const columns: readonly Column<InputRow>[] = [
  { key: 'id', title: msg`Input`, width: 80, cell: ({ id }) => id, sortValue: ({ id }) => id, isFixed: true },
  {
    key: 'name',
    title: msg`Label`,
    minWidth: 140,
    cell: ({ name }) => name,
    sortValue: ({ name }) => name,
    searchText: ({ name }) => name,
    isFixed: true,
    onCard: 'title',
  },
  {
    key: 'state',
    title: msg`State`,
    width: 130,
    cell: (input) => <LookMark look={looks[stateOf(input)]} />,
    sortValue: stateOf,
    onCard: 'state',
  },
  {
    key: 'source',
    title: msg`Source`,
    minWidth: 180,
    priority: 1,
    cell: ({ source }) => source,
    sortValue: ({ source }) => source ?? '',
    searchText: ({ source }) => source ?? '',
    onCard: 'line',
  },
  {
    key: 'group',
    title: msg`Group`,
    width: 130,
    cell: ({ group }) => group,
    sortValue: ({ group }) => group,
    searchText: ({ group }) => group,
  },
  {
    key: 'backup',
    title: msg`Backup input`,
    width: 150,
    cell: ({ backup }) => backup,
    sortValue: ({ backup }) => backup,
  },
  {
    key: 'seen',
    title: msg`Last seen`,
    width: 160,
    cell: (input) => input['last-seen'] && <Moment time={input['last-seen']} />,
    sortValue: (input) => input['last-seen'] ?? 0,
    isOptional: true,
  },
];

export default function SourcesTab({ router, mayEdit, openInput }: SourcesTabProps) {
  const { t } = useLingui();
  const { inputs } = router;
  const rows = useMemo(
    () =>
      [...inputs.values()].map((input): InputRow => {
        const backup = input.failover === null ? undefined : inputs.get(input.failover);
        return { ...input, name: inputText(input), backup: backup ? inputText(backup) : '' };
      }),
    [inputs],
  );
  const actions = useCallback((input: InputRow) => <InputMenu input={input} edit={openInput} />, [openInput]);
  return (
    <>
      <FoundPanel router={router} mayEdit={mayEdit} />
      <DataTable
        id="ndi-inputs"
        label={t`Inputs`}
        columns={columns}
        items={rows}
        {...(mayEdit && { rowActions: actions })}
        actionsWidth={48}
        empty={<EmptyState icon={IconCircleDashed} title={<Trans>No inputs yet</Trans>} />}
      />
    </>
  );
}

/** Sources on the network that no input has. */
function FoundPanel({ router, mayEdit }: Omit<SourcesTabProps, 'openInput'>) {
  const { t } = useLingui();
  const sources = useSources();
  const noEdit = useNoEditReason(mayEdit);
  const inputs = [...router.inputs.values()];
  const used = new Set(inputs.map(({ source }) => source));
  const free = sources.filter(({ name, own }) => !own && !used.has(name));
  const isFull = inputs.every(({ source }) => source !== null);
  const act = useAct(async (source: string) => {
    await changeInput({ source, group: ndiMachine(source) });
    tell(t`${source} added`);
  });
  const reason =
    noEdit ?? (isFull ? t`All inputs have a source. Empty an input, or increase the number of inputs.` : undefined);
  return (
    <Panel title={<Trans>On the network, without an input</Trans>} isFlush>
      {act.error !== undefined && <ActFault error={act.error} />}
      {free.length === 0 ? (
        <p className={styles.empty}>
          {sources.length === 0 ? (
            <Trans>No sources are found on the network.</Trans>
          ) : (
            <Trans>Every source on the network has an input.</Trans>
          )}
        </p>
      ) : (
        <ul className={styles.sources}>
          {free.map(({ name }) => (
            <li key={name}>
              <span className={styles.sourceName}>{name}</span>
              <WithReason reason={reason}>
                <Button size="xs" variant="default" loading={act.isPending} onClick={() => void act.run(name)}>
                  <Trans>Add to an input</Trans>
                </Button>
              </WithReason>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function InputMenu({ input, edit }: { input: InputRow; edit: (id: number) => void }) {
  const { t } = useLingui();
  const { id, name, source, revision } = input;
  const clear = (force: boolean) => changeInput({ id, source: null, label: '', group: '', revision, force });
  const empty = () =>
    confirm({
      title: t`Empty input ${id}?`,
      consequence: t`“${name}” is no longer in the matrix. Its number stays free for another source.`,
      verb: t`Empty`,
      isDangerous: true,
      forced: {
        consequence: () => t`Outputs are routed to this input. They lose their picture.`,
        verb: t`Empty anyway`,
      },
      run: clear,
    });
  return (
    <DropMenu
      label={t`More actions for ${name}`}
      trigger={<IconDotsVertical size={16} stroke={1.7} aria-hidden />}
      items={() => [
        { key: 'edit', text: t`Edit`, icon: IconPencil, onSelect: () => edit(id) },
        {
          ...{ key: 'empty', text: t`Empty`, icon: IconTrash, isDangerous: true, onSelect: empty },
          disabledReason: source === null ? t`It has no source.` : undefined,
        },
      ]}
    />
  );
}
