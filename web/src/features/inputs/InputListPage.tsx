import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import {
  IconBookmark,
  IconCopy,
  IconDotsVertical,
  IconDownload,
  IconPencil,
  IconPlugConnected,
  IconPlus,
  IconTrash,
} from '@tabler/icons-react';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Fragment, useCallback } from 'react';
import { Link } from 'react-router-dom';
import type { ChannelInput } from '../../../../daemon/contract/channels.ts';
import type { Input } from '../../../../daemon/contract/inputs.ts';
import { protocolOf } from '../../../../daemon/contract/streams.ts';
import { useMay } from '../../api/session.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import { deferredPart } from '../../lib/lazy-part.tsx';
import { channelPath } from '../../lib/paths.ts';
import { deleteInput, inputsQuery } from '../../shared/inputs/input-calls.ts';
import { PageHeader } from '../../shared/page/PageHeader.tsx';
import { PresetButton, PresetHost } from '../../shared/presets/PresetHost.tsx';
import { SourceAddress } from '../../shared/sources/SourceAddress.tsx';
import { shownAddress } from '../../shared/sources/shown-address.ts';
import { RateCell } from '../../shared/streams/RateCell.tsx';
import { inputFilters } from '../../shared/streams/run-filters.ts';
import { inputRuns, useRuns } from '../../shared/streams/runs.ts';
import { inputRunLook } from '../../shared/streams/state-look.ts';
import { NoValue } from '../../ui/data/Quantity.tsx';
import { LookMark } from '../../ui/data/StateMark.tsx';
import { EmptyState } from '../../ui/layout/EmptyState.tsx';
import { confirm } from '../../ui/overlay/confirm.ts';
import { DropMenu } from '../../ui/overlay/DropMenu.tsx';
import { type DialogAddress, useDialogAddress } from '../../ui/overlay/dialog-address.ts';
import { type Column, nameColumn } from '../../ui/table/column.ts';
import { DataTable } from '../../ui/table/DataTable.tsx';
import { inputEditActs } from './input-bulk.ts';
import { LastTestCell } from './LastTestCell.tsx';

const InputDialog = deferredPart(() => import('./InputDialog.tsx'));
const SourceTestDialog = deferredPart(() => import('./SourceTestDialog.tsx'));

type Row = Input & { readonly run: ChannelInput | undefined };

const columns: readonly Column<Row>[] = [
  {
    key: 'state',
    title: msg`State`,
    width: 160,
    cell: ({ run }) => <LookMark look={inputRunLook(run)} />,
    sortValue: ({ run }) => inputRunLook(run).rank,
    searchText: ({ run }, i18n) => i18n._(inputRunLook(run).text),
    onCard: 'state',
  },
  nameColumn,
  {
    key: 'protocol',
    title: msg`Protocol`,
    width: 96,
    cell: (input) => protocolOf(input.protocol)?.toUpperCase() ?? '',
    sortValue: (input) => input.protocol,
    searchText: (input) => protocolOf(input.protocol) ?? '',
  },
  {
    key: 'address',
    title: msg`Address`,
    minWidth: 220,
    priority: 1,
    cell: ({ config }) => <SourceAddress text={shownAddress(config)} isOpen={config.srt?.open} />,
    sortValue: (input) => shownAddress(input.config),
    searchText: (input) => shownAddress(input.config),
    onCard: 'line',
  },
  {
    key: 'rate',
    title: msg`Bitrate`,
    width: 108,
    isRight: true,
    priority: 1,
    cell: ({ run }) => <RateCell kbps={run?.kbps} />,
    sortValue: ({ run }) => run?.kbps ?? 0,
  },
  {
    key: 'test',
    title: msg`Last test`,
    width: 140,
    cell: ({ id }) => <LastTestCell id={id} />,
  },
  {
    key: 'channels',
    title: msg`Channels`,
    width: 170,
    priority: 2,
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
  const inputs = useRuns(useSuspenseQuery(inputsQuery).data, inputRuns);
  const { open } = dialog;
  const actions = useCallback((input: Input) => <InputMenu input={input} open={open} />, [open]);
  const about = inputs.find((input) => input.id === dialog.id);
  const edited = dialog.name === 'edit' ? about : undefined;
  const original = dialog.name === 'duplicate' ? about : undefined;
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
        states={inputFilters}
        {...(mayEdit && { bulk: inputEditActs })}
        items={inputs}
        {...(mayEdit && { rowActions: actions })}
        actionsWidth={48}
        empty={
          <EmptyState icon={IconDownload} title={<Trans>No inputs yet</Trans>} action={add}>
            <Trans>
              Inputs pull a stream or listen for one. Encoders that push with a channel key don't need an input.
            </Trans>
          </EmptyState>
        }
      />
      {mayEdit && (dialog.name === 'add' || edited !== undefined || original !== undefined) && (
        <InputDialog
          key={(edited ?? original)?.id ?? 'new'}
          input={edited}
          original={original}
          onClose={dialog.close}
        />
      )}
      {mayEdit && dialog.name === 'test' && about !== undefined && (
        <SourceTestDialog input={about} onClose={dialog.close} />
      )}
      <PresetHost kind="input" dialog={dialog} about={about} />
    </>
  );
}

function InputMenu({ input: { id, name }, open }: { input: Input; open: DialogAddress['open'] }) {
  const { t } = useLingui();
  const remove = () =>
    confirm({
      title: t`Delete input “${name}”?`,
      consequence: t`Its settings are permanently deleted.`,
      verb: t`Delete input`,
      isDangerous: true,
      forced: {
        consequence: (by) => t`Used by ${by}. Those channels will lose their stream and wait for an encoder push.`,
        verb: t`Delete anyway`,
      },
      run: (force) => deleteInput({ id, force }),
      done: t`“${name}” was deleted.`,
    });
  return (
    <DropMenu
      label={t`More actions for ${name}`}
      trigger={<IconDotsVertical size={16} stroke={1.7} aria-hidden />}
      items={() => [
        { key: 'edit', text: t`Edit`, icon: IconPencil, onSelect: () => open('edit', id) },
        { key: 'test', text: t`Test`, icon: IconPlugConnected, onSelect: () => open('test', id) },
        { key: 'duplicate', text: t`Duplicate`, icon: IconCopy, onSelect: () => open('duplicate', id) },
        { key: 'preset', text: t`Save as preset`, icon: IconBookmark, onSelect: () => open('save-preset', id) },
        { key: 'delete', text: t`Delete`, icon: IconTrash, isDangerous: true, onSelect: remove },
      ]}
    />
  );
}
