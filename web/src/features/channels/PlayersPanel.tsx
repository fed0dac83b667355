import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { ActionIcon } from '@mantine/core';
import { IconPlugX } from '@tabler/icons-react';
import { useCallback } from 'react';
import type { Channel, ChannelClient } from '../../../../daemon/contract/channels.ts';
import { protocolOf } from '../../../../daemon/contract/streams.ts';
import { useMay } from '../../api/session.ts';
import { RateCell } from '../../shared/streams/RateCell.tsx';
import { connectionLook } from '../../shared/streams/state-look.ts';
import { LookMark } from '../../ui/data/StateMark.tsx';
import { Panel } from '../../ui/layout/Panel.tsx';
import { confirm } from '../../ui/overlay/confirm.ts';
import type { Column } from '../../ui/table/column.ts';
import { TableGrid } from '../../ui/table/TableGrid.tsx';
import styles from './ChannelDetailPage.module.css';
import { disconnectClient } from './channel-calls.ts';
import { CountCell, RunTimeCell } from './channel-cells.tsx';
import { LinkCell } from './quality/LinkCell.tsx';

/** `way`: name of the output that the client is connected to. */
type Row = ChannelClient & { readonly way: string | undefined };

const columns: readonly Column<Row>[] = [
  {
    key: 'state',
    title: msg`State`,
    width: 124,
    cell: (client) => <LookMark look={connectionLook(client['conn-state'])} />,
    onCard: 'state',
  },
  {
    key: 'address',
    title: msg`Address`,
    cell: (client) => <span title={client.addr}>{client.addr}</span>,
    onCard: 'title',
  },
  {
    key: 'way',
    title: msg`Connected via`,
    width: 132,
    cell: ({ way }) => (way === undefined ? <Trans>Play key</Trans> : <span title={way}>{way}</span>),
  },
  {
    key: 'protocol',
    title: msg`Protocol`,
    width: 100,
    cell: (client) => protocolOf(client.protocol)?.toUpperCase() ?? '',
  },
  { key: 'rate', title: msg`Bitrate`, width: 118, isRight: true, cell: (client) => <RateCell kbps={client.kbps} /> },
  {
    key: 'time',
    title: msg`Connected for`,
    width: 124,
    isRight: true,
    cell: (client) => <RunTimeCell seconds={client['living-time-s']} />,
  },
  {
    key: 'link',
    title: msg`Link quality`,
    width: 232,
    isRight: true,
    cell: ({ id, addr, report }) => <LinkCell kind="client" id={id} name={addr} report={report} />,
  },
  {
    key: 'skipped',
    title: msg`Dropped`,
    width: 92,
    isRight: true,
    cell: (client) => <CountCell count={client.skipped} />,
  },
];

/** Clients that connected to the hub: with the play key, or to a listener output. */
export function PlayersPanel({ channel }: { channel: Channel }) {
  const { t } = useLingui();
  const mayControl = useMay('channelControl');
  const { list, total } = channel.clients;
  const shown = list.length;
  const names = new Map(channel.outputs.list.map(({ id, name }) => [id, name]));
  const rows = list.map((client) => ({ ...client, way: names.get(client['output-id'] ?? 0) }));
  const { id, name } = channel;
  const actions = useCallback((client: Row) => <DisconnectButton channel={{ id, name }} client={client} />, [id, name]);
  return (
    <Panel title={<Trans>Players</Trans>} isFlush>
      {list.length === 0 ? (
        <p className={styles.quiet}>
          <Trans>No players connected.</Trans>
        </p>
      ) : (
        <TableGrid
          label={t`Players of this channel`}
          columns={columns}
          rows={rows}
          {...(mayControl && { rowActions: actions })}
          actionsWidth={48}
        />
      )}
      {total > shown && (
        <p className={styles.quiet}>
          <Trans>
            Showing the first {shown} of {total}.
          </Trans>
        </p>
      )}
    </Panel>
  );
}

function DisconnectButton({ channel, client }: { channel: { id: number; name: string }; client: Row }) {
  const { t } = useLingui();
  const { addr } = client;
  const ask = () =>
    confirm({
      title: t`Disconnect ${addr}?`,
      consequence: t`The player will be disconnected from “${channel.name}”. Most players reconnect; to keep it out, regenerate the play key.`,
      verb: t`Disconnect`,
      isDangerous: true,
      run: () => disconnectClient({ id: channel.id, client: client.id }),
      done: t`${addr} was disconnected.`,
    });
  const label = t`Disconnect ${addr}`;
  return (
    <ActionIcon size={30} aria-label={label} title={label} onClick={ask}>
      <IconPlugX size={16} stroke={1.7} aria-hidden />
    </ActionIcon>
  );
}
