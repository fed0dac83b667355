import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconBookmark, IconDotsVertical, IconPencil, IconPlus, IconSend, IconTrash } from '@tabler/icons-react';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Suspense, useCallback } from 'react';
import { Link } from 'react-router-dom';
import type { Output } from '../../../../daemon/contract/outputs.ts';
import { protocolOf } from '../../../../daemon/contract/streams.ts';
import { useTopic } from '../../api/live.ts';
import { useMay } from '../../api/session.ts';
import { lazyPart } from '../../lib/lazy-part.ts';
import { channelPath } from '../../lib/paths.ts';
import { LicenseNote } from '../../shared/license/LicenseNote.tsx';
import { outputsQuery, reachableAddress } from '../../shared/outputs/outputs-query.ts';
import { useOutputActs } from '../../shared/outputs/useOutputActs.ts';
import { PageHeader } from '../../shared/page/PageHeader.tsx';
import { PresetButton, PresetHost } from '../../shared/presets/PresetHost.tsx';
import { SourceAddress } from '../../shared/sources/SourceAddress.tsx';
import { shownAddress } from '../../shared/sources/shown-address.ts';
import { channelsTopic } from '../../shared/streams/channels-query.ts';
import { NoValue } from '../../ui/data/Quantity.tsx';
import { EmptyState } from '../../ui/layout/EmptyState.tsx';
import { DropMenu } from '../../ui/overlay/DropMenu.tsx';
import { useDialogAddress } from '../../ui/overlay/dialog-address.ts';
import type { Column } from '../../ui/table/column.ts';
import { DataTable } from '../../ui/table/DataTable.tsx';
import { OutputLiveState } from './OutputLiveState.tsx';

const OutputDialog = lazyPart(() => import('../../shared/outputs/OutputDialog.tsx'));

const addressOf = ({ config }: Output) => reachableAddress(shownAddress(config), location.hostname);

const columns: readonly Column<Output>[] = [
  {
    key: 'state',
    title: msg`State`,
    width: 180,
    cell: (output) => <OutputLiveState id={output.id} />,
    onCard: 'state',
  },
  {
    key: 'name',
    title: msg`Name`,
    cell: (output) => output.name,
    sortValue: (output) => output.name,
    searchText: (output) => output.name,
    isFixed: true,
    onCard: 'title',
  },
  {
    key: 'protocol',
    title: msg`Protocol`,
    width: 110,
    cell: (output) => protocolOf(output.protocol)?.toUpperCase() ?? '',
    sortValue: (output) => output.protocol,
  },
  {
    key: 'address',
    title: msg`Address`,
    width: 360,
    cell: (output) => <SourceAddress text={addressOf(output)} isOpen={output.config.srt?.open} />,
    sortValue: addressOf,
    searchText: addressOf,
    onCard: 'line',
  },
  {
    key: 'channel',
    title: msg`Channel`,
    width: 200,
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
  const mayViewChannels = useMay('channelView');
  const dialog = useDialogAddress();
  useTopic(channelsTopic, mayViewChannels);
  const outputs = useSuspenseQuery(outputsQuery).data;
  const { open } = dialog;
  const edit = useCallback((output: Output) => open('edit', output.id), [open]);
  const keep = useCallback((output: Output) => open('save-preset', output.id), [open]);
  const actions = useCallback(
    (output: Output) => <OutputMenu output={output} onEdit={edit} onKeep={keep} />,
    [edit, keep],
  );
  const about = outputs.find((output) => output.id === dialog.id);
  const edited = dialog.name === 'edit' ? about : undefined;
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
        items={outputs}
        getId={getId}
        {...(mayEdit && { rowActions: actions })}
        actionsWidth={48}
        empty={
          <EmptyState icon={IconSend} title={<Trans>No outputs yet</Trans>} action={add}>
            <Trans>An output sends the stream of a channel on to another server or into the network.</Trans>
          </EmptyState>
        }
      />
      <Suspense fallback={null}>
        {mayEdit && (dialog.name === 'add' || edited !== undefined) && (
          <OutputDialog key={edited?.id ?? 'new'} output={edited} channel={undefined} onClose={dialog.close} />
        )}
      </Suspense>
      <PresetHost kind="output" dialog={dialog} about={about} />
    </>
  );
}

function getId(output: Output): number {
  return output.id;
}

interface OutputMenuProps {
  readonly output: Output;
  readonly onEdit: (output: Output) => void;
  readonly onKeep: (output: Output) => void;
}

function OutputMenu({ output, onEdit, onKeep }: OutputMenuProps) {
  const { t } = useLingui();
  const { remove } = useOutputActs();
  return (
    <DropMenu
      label={t`More actions for ${output.name}`}
      trigger={<IconDotsVertical size={16} stroke={1.7} aria-hidden />}
      items={() => [
        { key: 'edit', text: t`Edit`, icon: IconPencil, onSelect: () => onEdit(output) },
        { key: 'preset', text: t`Save as preset`, icon: IconBookmark, onSelect: () => onKeep(output) },
        { key: 'delete', text: t`Delete`, icon: IconTrash, isDangerous: true, onSelect: () => remove(output) },
      ]}
    />
  );
}
