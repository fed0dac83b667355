import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import {
  IconCopy,
  IconDotsVertical,
  IconPencil,
  IconPlus,
  IconSend,
  IconServer2,
  IconTrash,
} from '@tabler/icons-react';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { limits } from '../../../../daemon/contract/limits.ts';
import type { Server } from '../../../../daemon/contract/servers.ts';
import { serverTypes } from '../../../../daemon/contract/streams.ts';
import { useMay } from '../../api/session.ts';
import { deferredPart } from '../../lib/lazy-part.tsx';
import { PageHeader } from '../../shared/page/PageHeader.tsx';
import { deleteServer, serversQuery } from '../../shared/servers/server-calls.ts';
import { Address } from '../../ui/data/Address.tsx';
import { EmptyState } from '../../ui/layout/EmptyState.tsx';
import { confirm } from '../../ui/overlay/confirm.ts';
import { DropMenu } from '../../ui/overlay/DropMenu.tsx';
import { type DialogAddress, useDialogAddress } from '../../ui/overlay/dialog-address.ts';
import { WithReason } from '../../ui/overlay/WithReason.tsx';
import { type Column, nameColumn } from '../../ui/table/column.ts';
import { DataTable } from '../../ui/table/DataTable.tsx';
import { serverAddress } from './server-form.ts';

const ServerDialog = deferredPart(() => import('./ServerDialog.tsx'));
const ServerOutputDialog = deferredPart(() => import('../../shared/servers/ServerOutputDialog.tsx'));

const columns: readonly Column<Server>[] = [
  nameColumn,
  {
    key: 'type',
    title: msg`Type`,
    width: 184,
    cell: (server) => <TypeCell type={server.type} />,
    sortValue: (server) => server.type,
  },
  {
    key: 'address',
    title: msg`Address`,
    minWidth: 220,
    priority: 1,
    cell: (server) => <Address text={serverAddress(server)} />,
    sortValue: serverAddress,
    searchText: serverAddress,
    onCard: 'line',
  },
  { key: 'streams', title: msg`Streams`, width: 180, cell: (server) => <StreamsCell server={server} /> },
];

function TypeCell({ type }: { type: number }) {
  if (type === serverTypes.rtmp) return 'RTMP';
  return type === serverTypes.srtCaller ? <Trans>SRT caller</Trans> : <Trans>SRT listener</Trans>;
}

function StreamsCell({ server }: { server: Server }) {
  if (server['main-stream'] && server['sub-stream']) return <Trans>Main and sub</Trans>;
  return server['main-stream'] ? <Trans>Main</Trans> : <Trans>Sub</Trans>;
}

export default function ServerListPage() {
  const { t } = useLingui();
  const mayEdit = useMay('ioEdit');
  const dialog = useDialogAddress();
  const servers = useSuspenseQuery(serversQuery).data;
  const { open } = dialog;
  const isFull = servers.length >= limits.servers;
  const full = isFull ? t`Limit of ${limits.servers} destinations reached. Delete one to add another.` : undefined;
  const actions = useCallback((server: Server) => <ServerMenu server={server} open={open} full={full} />, [open, full]);
  const about = servers.find((server) => server.id === dialog.id);
  const edited = dialog.name === 'edit' ? about : undefined;
  const original = dialog.name === 'duplicate' && !isFull ? about : undefined;
  const add = mayEdit && (
    <WithReason reason={full}>
      <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => open('add')}>
        <Trans>Add destination</Trans>
      </Button>
    </WithReason>
  );
  return (
    <>
      <PageHeader title={t`Destinations`} actions={add} />
      <DataTable
        id="servers"
        label={t`Destinations`}
        columns={columns}
        items={servers}
        {...(mayEdit && { rowActions: actions })}
        actionsWidth={48}
        empty={
          <EmptyState icon={IconServer2} title={<Trans>No destinations yet</Trans>} action={add}>
            <Trans>A destination stores an address with its keys. Create outputs from it in two clicks.</Trans>
          </EmptyState>
        }
      />
      {mayEdit && (dialog.name === 'add' || edited !== undefined || original !== undefined) && (
        <ServerDialog
          key={(edited ?? original)?.id ?? 'new'}
          server={edited}
          original={original}
          onClose={dialog.close}
        />
      )}
      {mayEdit && dialog.name === 'output' && about !== undefined && (
        <ServerOutputDialog server={about.id} channel={undefined} onClose={dialog.close} />
      )}
    </>
  );
}

interface ServerMenuProps {
  readonly server: Server;
  readonly open: DialogAddress['open'];
  /** Why no server can be added. */
  readonly full: string | undefined;
}

function ServerMenu({ server, open, full }: ServerMenuProps) {
  const { t } = useLingui();
  const { id, name } = server;
  const remove = () =>
    confirm({
      title: t`Delete destination “${name}”?`,
      consequence: t`The address and its keys are permanently deleted. Existing outputs keep working.`,
      verb: t`Delete destination`,
      isDangerous: true,
      run: () => deleteServer({ id }),
      done: t`“${name}” was deleted.`,
    });
  return (
    <DropMenu
      label={t`More actions for ${name}`}
      trigger={<IconDotsVertical size={16} stroke={1.7} aria-hidden />}
      items={() => [
        { key: 'output', text: t`Add output`, icon: IconSend, onSelect: () => open('output', id) },
        { key: 'edit', text: t`Edit`, icon: IconPencil, onSelect: () => open('edit', id) },
        {
          key: 'duplicate',
          text: t`Duplicate`,
          icon: IconCopy,
          disabledReason: full,
          onSelect: () => open('duplicate', id),
        },
        { key: 'delete', text: t`Delete`, icon: IconTrash, isDangerous: true, onSelect: remove },
      ]}
    />
  );
}
