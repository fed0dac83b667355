import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import {
  IconBookmark,
  IconCopy,
  IconDotsVertical,
  IconPencil,
  IconPlus,
  IconSend,
  IconTrash,
} from '@tabler/icons-react';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { Link } from 'react-router-dom';
import type { ChannelOutput } from '../../../../daemon/contract/channels.ts';
import type { Output } from '../../../../daemon/contract/outputs.ts';
import { protocolOf } from '../../../../daemon/contract/streams.ts';
import { useMay } from '../../api/session.ts';
import { deferredPart } from '../../lib/lazy-part.tsx';
import { channelPath } from '../../lib/paths.ts';
import { LicenseNote } from '../../shared/license/LicenseNote.tsx';
import { outputsQuery, reachableAddress } from '../../shared/outputs/output-calls.ts';
import { useDeleteOutput } from '../../shared/outputs/useDeleteOutput.ts';
import { PageHeader } from '../../shared/page/PageHeader.tsx';
import { PresetButton, PresetHost } from '../../shared/presets/PresetHost.tsx';
import { SourceAddress } from '../../shared/sources/SourceAddress.tsx';
import { shownAddress } from '../../shared/sources/shown-address.ts';
import { outputFilters } from '../../shared/streams/run-filters.ts';
import { outputRuns, useRuns } from '../../shared/streams/runs.ts';
import { outputRunLook } from '../../shared/streams/state-look.ts';
import { NoValue } from '../../ui/data/Quantity.tsx';
import { LookMark } from '../../ui/data/StateMark.tsx';
import { EmptyState } from '../../ui/layout/EmptyState.tsx';
import { DropMenu } from '../../ui/overlay/DropMenu.tsx';
import { type DialogAddress, useDialogAddress } from '../../ui/overlay/dialog-address.ts';
import { type Column, nameColumn } from '../../ui/table/column.ts';
import { DataTable } from '../../ui/table/DataTable.tsx';
import { outputControlActs, outputEditActs } from './output-bulk.ts';

const OutputDialog = deferredPart(() => import('../../shared/outputs/OutputDialog.tsx'));

const addressOf = ({ config }: Output) => reachableAddress(shownAddress(config), location.hostname);

type Row = Output & { readonly run: ChannelOutput | undefined };

const columns: readonly Column<Row>[] = [
  {
    key: 'state',
    title: msg`State`,
    width: 180,
    cell: ({ run }) => <LookMark look={outputRunLook(run)} />,
    sortValue: ({ run }) => outputRunLook(run).rank,
    searchText: ({ run }, i18n) => i18n._(outputRunLook(run).text),
    onCard: 'state',
  },
  nameColumn,
  {
    key: 'protocol',
    title: msg`Protocol`,
    width: 110,
    cell: (output) => protocolOf(output.protocol)?.toUpperCase() ?? '',
    sortValue: (output) => output.protocol,
    searchText: (output) => protocolOf(output.protocol) ?? '',
  },
  {
    key: 'address',
    title: msg`Address`,
    minWidth: 220,
    priority: 1,
    cell: (output) => <SourceAddress text={addressOf(output)} isOpen={output.config.srt?.open} />,
    sortValue: addressOf,
    searchText: addressOf,
    onCard: 'line',
  },
  {
    key: 'channel',
    title: msg`Channel`,
    width: 180,
    priority: 2,
    cell: (output) => <OwnerCell output={output} />,
    sortValue: (output) => output['owner-o'] ?? '',
    searchText: (output) => output['owner-o'] ?? '',
    onCard: 'line',
  },
];

function OwnerCell({ output }: { output: Output }) {
  const id = output['owner-o-d'];
  return id === undefined ? (
    <NoValue />
  ) : (
    <Link to={channelPath(id)} title={output['owner-o']}>
      {output['owner-o']}
    </Link>
  );
}

export default function OutputListPage() {
  const { t } = useLingui();
  const mayEdit = useMay('ioEdit');
  const dialog = useDialogAddress();
  const outputs = useRuns(useSuspenseQuery(outputsQuery).data, outputRuns);
  const { open } = dialog;
  const mayControl = useMay('channelControl');
  const bulk = useMemo(
    () => [...(mayControl ? outputControlActs : []), ...(mayEdit ? outputEditActs : [])],
    [mayControl, mayEdit],
  );
  const actions = useCallback((output: Output) => <OutputMenu output={output} open={open} />, [open]);
  const about = outputs.find((output) => output.id === dialog.id);
  const edited = dialog.name === 'edit' ? about : undefined;
  const original = dialog.name === 'duplicate' ? about : undefined;
  const add = mayEdit && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => open('add')}>
      <Trans>Add output</Trans>
    </Button>
  );
  return (
    <>
      <PageHeader
        title={t`Outputs`}
        actions={
          <>
            <PresetButton kind="output" dialog={dialog} />
            {add}
          </>
        }
      />
      {mayEdit && <LicenseNote of={['outputs', 'srt']} />}
      <DataTable
        id="outputs"
        label={t`Outputs`}
        columns={columns}
        states={outputFilters}
        bulk={bulk}
        items={outputs}
        {...(mayEdit && { rowActions: actions })}
        actionsWidth={48}
        empty={
          <EmptyState icon={IconSend} title={<Trans>No outputs yet</Trans>} action={add}>
            <Trans>An output sends a channel's stream to a server or network address.</Trans>
          </EmptyState>
        }
      />
      {mayEdit && (dialog.name === 'add' || edited !== undefined || original !== undefined) && (
        <OutputDialog
          key={(edited ?? original)?.id ?? 'new'}
          output={edited}
          original={original}
          channel={undefined}
          onClose={dialog.close}
        />
      )}
      <PresetHost kind="output" dialog={dialog} about={about} />
    </>
  );
}

function OutputMenu({ output, open }: { output: Output; open: DialogAddress['open'] }) {
  const { t } = useLingui();
  const remove = useDeleteOutput({ isKnownInUse: false });
  const { id, name } = output;
  return (
    <DropMenu
      label={t`More actions for ${name}`}
      trigger={<IconDotsVertical size={16} stroke={1.7} aria-hidden />}
      items={() => [
        { key: 'edit', text: t`Edit`, icon: IconPencil, onSelect: () => open('edit', id) },
        { key: 'duplicate', text: t`Duplicate`, icon: IconCopy, onSelect: () => open('duplicate', id) },
        { key: 'preset', text: t`Save as preset`, icon: IconBookmark, onSelect: () => open('save-preset', id) },
        { key: 'delete', text: t`Delete`, icon: IconTrash, isDangerous: true, onSelect: () => remove(output) },
      ]}
    />
  );
}
