import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import {
  IconBookmark,
  IconDotsVertical,
  IconDownload,
  IconPencil,
  IconPlugConnected,
  IconPlus,
  IconTrash,
} from '@tabler/icons-react';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Fragment, Suspense, useCallback } from 'react';
import { Link } from 'react-router-dom';
import type { Input } from '../../../../daemon/contract/inputs.ts';
import { protocolOf } from '../../../../daemon/contract/streams.ts';
import { useMay } from '../../api/session.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import { lazyPart } from '../../lib/lazy-part.ts';
import { channelPath } from '../../lib/paths.ts';
import { PageHeader } from '../../shared/page/PageHeader.tsx';
import { PresetButton, PresetHost } from '../../shared/presets/PresetHost.tsx';
import { SourceAddress } from '../../shared/sources/SourceAddress.tsx';
import { shownAddress } from '../../shared/sources/shown-address.ts';
import { inputsQuery } from '../../shared/streams/inputs-query.ts';
import { NoValue } from '../../ui/data/Quantity.tsx';
import { EmptyState } from '../../ui/layout/EmptyState.tsx';
import { DropMenu } from '../../ui/overlay/DropMenu.tsx';
import { useDialogAddress } from '../../ui/overlay/dialog-address.ts';
import type { Column } from '../../ui/table/column.ts';
import { DataTable } from '../../ui/table/DataTable.tsx';
import { useInputActs } from './useInputActs.ts';

const InputDialog = lazyPart(() => import('./InputDialog.tsx'));
const SourceTestDialog = lazyPart(() => import('./SourceTestDialog.tsx'));

const columns: readonly Column<Input>[] = [
  {
    key: 'name',
    title: msg`Name`,
    cell: (input) => input.name,
    sortValue: (input) => input.name,
    searchText: (input) => input.name,
    isFixed: true,
    onCard: 'title',
  },
  {
    key: 'protocol',
    title: msg`Protocol`,
    width: 110,
    cell: (input) => protocolOf(input.protocol)?.toUpperCase() ?? '',
    sortValue: (input) => input.protocol,
    onCard: 'state',
  },
  {
    key: 'address',
    title: msg`Address`,
    width: 420,
    cell: ({ config }) => <SourceAddress text={shownAddress(config)} isOpen={config.srt?.open} />,
    sortValue: (input) => shownAddress(input.config),
    searchText: (input) => shownAddress(input.config),
    onCard: 'line',
  },
  {
    key: 'channels',
    title: msg`Channels`,
    width: 240,
    cell: (input) => <OwnersCell input={input} />,
    searchText: (input) => input['owner-i']?.join(' ') ?? '',
    onCard: 'line',
  },
];

/** An input can be used by several channels. */
function OwnersCell({ input }: { input: Input }) {
  const { comma } = useFormat();
  const names = input['owner-i'] ?? [];
  const ids = input['owner-i-d'] ?? [];
  if (names.length === 0) return <NoValue />;
  return names.map((name, at) => (
    <Fragment key={ids[at] ?? name}>
      {at > 0 && comma}
      <Link to={channelPath(ids[at] ?? 0)} title={name}>
        {name}
      </Link>
    </Fragment>
  ));
}

export default function InputListPage() {
  const { t } = useLingui();
  const mayEdit = useMay('ioEdit');
  const dialog = useDialogAddress();
  const inputs = useSuspenseQuery(inputsQuery).data;
  const { open } = dialog;
  const edit = useCallback((input: Input) => open('edit', input.id), [open]);
  const test = useCallback((input: Input) => open('test', input.id), [open]);
  const keep = useCallback((input: Input) => open('save-preset', input.id), [open]);
  const actions = useCallback(
    (input: Input) => <InputMenu input={input} onEdit={edit} onTest={test} onKeep={keep} />,
    [edit, test, keep],
  );
  const about = inputs.find((input) => input.id === dialog.id);
  const edited = dialog.name === 'edit' ? about : undefined;
  const add = mayEdit && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => open('add')}>
      <Trans>Add input</Trans>
    </Button>
  );
  return (
    <>
      <PageHeader
        title={t`Inputs`}
        actions={
          <>
            <PresetButton kind="input" dialog={dialog} />
            {add}
          </>
        }
      />
      <DataTable
        id="inputs"
        label={t`Inputs`}
        columns={columns}
        items={inputs}
        getId={getId}
        {...(mayEdit && { rowActions: actions })}
        actionsWidth={48}
        empty={
          <EmptyState icon={IconDownload} title={<Trans>No inputs yet</Trans>} action={add}>
            <Trans>An input fetches or receives a stream for a channel. Encoders that push with a key need none.</Trans>
          </EmptyState>
        }
      />
      <Suspense fallback={null}>
        {mayEdit && (dialog.name === 'add' || edited !== undefined) && (
          <InputDialog key={edited?.id ?? 'new'} input={edited} onClose={dialog.close} />
        )}
        {mayEdit && dialog.name === 'test' && about !== undefined && (
          <SourceTestDialog input={about} onClose={dialog.close} />
        )}
      </Suspense>
      <PresetHost kind="input" dialog={dialog} about={about} />
    </>
  );
}

function getId(input: Input): number {
  return input.id;
}

interface InputMenuProps {
  readonly input: Input;
  readonly onEdit: (input: Input) => void;
  readonly onTest: (input: Input) => void;
  readonly onKeep: (input: Input) => void;
}

function InputMenu({ input, onEdit, onTest, onKeep }: InputMenuProps) {
  const { t } = useLingui();
  const { remove } = useInputActs();
  return (
    <DropMenu
      label={t`More actions for ${input.name}`}
      trigger={<IconDotsVertical size={16} stroke={1.7} aria-hidden />}
      items={() => [
        { key: 'edit', text: t`Edit`, icon: IconPencil, onSelect: () => onEdit(input) },
        { key: 'test', text: t`Test`, icon: IconPlugConnected, onSelect: () => onTest(input) },
        { key: 'preset', text: t`Save as preset`, icon: IconBookmark, onSelect: () => onKeep(input) },
        { key: 'delete', text: t`Delete`, icon: IconTrash, isDangerous: true, onSelect: () => remove(input) },
      ]}
    />
  );
}
