import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import type { Channel, ChannelClient } from '../../../../daemon/contract/channels.ts';
import { protocolOf } from '../../../../daemon/contract/streams.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import { Panel } from '../../ui/Panel.tsx';
import { NoValue } from '../../ui/Quantity.tsx';
import { StateMark } from '../../ui/StateMark.tsx';
import type { Column } from '../../ui/table/column.ts';
import { TableGrid } from '../../ui/table/TableGrid.tsx';
import styles from './ChannelDetailPage.module.css';
import { CountCell, RateCell, RunTimeCell } from './channel-cells.tsx';
import { LinkCell } from './quality/LinkCell.tsx';
import { connectionLook } from './state-look.ts';

const columns: readonly Column<ChannelClient>[] = [
  { key: 'state', title: msg`State`, width: 160, cell: (client) => <ClientState client={client} />, onCard: 'state' },
  {
    key: 'address',
    title: msg`Address`,
    cell: (client) => client.addr,
    onCard: 'title',
  },
  {
    key: 'protocol',
    title: msg`Protocol`,
    width: 100,
    cell: (client) => protocolOf(client.protocol)?.toUpperCase() ?? '',
  },
  { key: 'rate', title: msg`Bit rate`, width: 118, isRight: true, cell: (client) => <RateCell kbps={client.kbps} /> },
  {
    key: 'time',
    title: msg`Run time`,
    width: 124,
    isRight: true,
    cell: (client) => <RunTimeCell seconds={client['living-time-s']} />,
  },
  {
    key: 'link',
    title: msg`Link`,
    width: 132,
    isRight: true,
    cell: ({ id, addr, report }) => <LinkCell kind="client" id={id} name={addr} report={report} />,
  },
  {
    key: 'queue',
    title: msg`Queue`,
    width: 92,
    isRight: true,
    cell: (client) => <Milliseconds value={client['queue-ms']} />,
  },
  {
    key: 'skipped',
    title: msg`Skipped`,
    width: 92,
    isRight: true,
    cell: (client) => <CountCell count={client.skipped} />,
  },
];

/** Who watches by the play key. */
export function PlayersPanel({ channel }: { channel: Channel }) {
  const { t } = useLingui();
  const { list } = channel.clients;
  return (
    <Panel title={<Trans>Players</Trans>} isFlush>
      {list.length === 0 ? (
        <p className={styles.quiet}>
          <Trans>Nobody is watching by the play key.</Trans>
        </p>
      ) : (
        <TableGrid label={t`Players of this channel`} columns={columns} rows={list} getId={getId} />
      )}
    </Panel>
  );
}

function getId(client: ChannelClient): number {
  return client.id;
}

function ClientState({ client }: { client: ChannelClient }) {
  const { i18n } = useLingui();
  const look = connectionLook(client['conn-state']);
  return (
    <StateMark tone={look.tone} icon={look.icon}>
      {i18n._(look.text)}
    </StateMark>
  );
}

function Milliseconds({ value }: { value: number | undefined }) {
  const format = useFormat();
  return value === undefined ? <NoValue /> : <span>{format.number(value, value < 100 ? 1 : 0)} ms</span>;
}
