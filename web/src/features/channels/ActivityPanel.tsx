import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import type { Channel } from '../../../../daemon/contract/channels.ts';
import type { Operation } from '../../../../daemon/contract/logs.ts';
import { logApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { paths } from '../../lib/paths.ts';
import { detailText, operationText, resultText } from '../../shared/operations/operation-text.ts';
import { Moment } from '../../ui/data/Moment.tsx';
import { NoValue } from '../../ui/data/Quantity.tsx';
import { Panel } from '../../ui/layout/Panel.tsx';
import type { Column } from '../../ui/table/column.ts';
import { TableGrid } from '../../ui/table/TableGrid.tsx';
import { activityOf } from './activity.ts';
import styles from './ChannelDetailPage.module.css';

/** The search also finds entries of channels with similar names, which are not shown. */
const searched = 100;
const shown = 10;

const columns: readonly Column<Operation>[] = [
  { key: 'time', title: msg`Time`, width: 170, cell: ({ time }) => <Moment time={time} />, onCard: 'state' },
  { key: 'user', title: msg`User`, width: 150, cell: ({ user }) => (user === '' ? <NoValue /> : user) },
  { key: 'action', title: msg`Action`, width: 280, cell: (one) => <ActionCell operation={one} />, onCard: 'title' },
  { key: 'detail', title: msg`Details`, cell: (one) => <DetailCell operation={one} />, onCard: 'text' },
];

/** Who did what to the channel: the newest entries of the operation log that are about it. */
export default function ActivityPanel({ channel }: { channel: Channel }) {
  const { t } = useLingui();
  const { name, revision } = channel;
  const outputs = channel.outputs.list.map(({ id, enable }) => `${id}${enable}`).join();
  // Not polled: a call counts as use, and an open page would keep its session alive.
  const { data } = useQuery({
    queryKey: ['logs', 'channel', name, revision, outputs, channel.failover?.switches],
    queryFn: async ({ signal }) => (await call(logApi.list, { query: { key: name, count: searched }, signal })).list,
    placeholderData: (before) => before,
  });
  const list = data && activityOf(data, name).slice(0, shown);
  return (
    <Panel
      title={<Trans>Activity</Trans>}
      isFlush
      aside={
        <Link className={styles.faint} to={`${paths.logs}?q=${encodeURIComponent(name)}`}>
          <Trans>Open the operation log</Trans>
        </Link>
      }
    >
      {list?.length === 0 && (
        <p className={styles.quiet}>
          <Trans>No activity yet.</Trans>
        </p>
      )}
      {list !== undefined && list.length > 0 && (
        <TableGrid label={t`Activity on this channel`} columns={columns} rows={list} />
      )}
    </Panel>
  );
}

function ActionCell({ operation }: { operation: Operation }) {
  const { i18n } = useLingui();
  const text = operationText(i18n, operation);
  return <span title={text}>{text}</span>;
}

function DetailCell({ operation }: { operation: Operation }) {
  const { i18n } = useLingui();
  const { result } = operation;
  const parts = [detailText(i18n, operation), result === 0 ? '' : resultText(i18n, operation)];
  const text = parts.filter((part) => part !== '').join(' · ');
  return text === '' ? <NoValue /> : <span title={text}>{text}</span>;
}
