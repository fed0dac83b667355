import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
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
import { Moment } from '../../../ui/data/Moment.tsx';
import { type Look, LookMark } from '../../../ui/data/StateMark.tsx';
import { EmptyState } from '../../../ui/layout/EmptyState.tsx';
import { confirm } from '../../../ui/overlay/confirm.ts';
import { DropMenu } from '../../../ui/overlay/DropMenu.tsx';
import type { Column } from '../../../ui/table/column.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import styles from '../NdiRouter.module.css';
import { numberedColumns } from '../numbered-columns.ts';
import { changeInput, type Router } from '../router-query.ts';
import { inputText } from '../router-text.ts';
import { SourcePicture } from '../SourcePicture.tsx';
import { SourceLists } from './SourceLists.tsx';

interface SourcesTabProps {
  readonly router: Router;
  readonly mayEdit: boolean;
  readonly openInput: (id: number) => void;
}

type InputRow = NdiInput & { readonly name: string; readonly backup: string };

const looks: Readonly<Record<'online' | 'offline' | 'empty', Look>> = {
  online: { tone: 'live', icon: IconCircleFilled, text: msg`Online` },
  offline: { tone: 'warn', icon: IconPlugConnectedX, text: msg`Offline` },
  empty: { tone: 'off', icon: IconCircleDashed, text: msg`Empty` },
};
const stateOf = ({ source, online }: NdiInput) => (source === null ? 'empty' : online ? 'online' : 'offline');

const { number, label, group } = numberedColumns<InputRow>(msg`Input`);

const columns: readonly Column<InputRow>[] = [
  number,
  {
    ...label,
    cell: ({ name, source, online }) => (
      <span className={styles.pictured}>
        <SourcePicture source={source} isOnline={online} />
        {name}
      </span>
    ),
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
  group,
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
      <SourceLists router={router} mayEdit={mayEdit} />
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
