import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import type { Channel } from '../../../../daemon/contract/channels.ts';
import { logApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { paths } from '../../lib/paths.ts';
import { activityColumns } from '../../shared/operations/activity-columns.tsx';
import { Panel } from '../../ui/layout/Panel.tsx';
import { TableGrid } from '../../ui/table/TableGrid.tsx';
import { activityOf } from './activity.ts';
import styles from './ChannelDetailPage.module.css';

/** The search also finds entries of channels with similar names, which are not shown. */
const searched = 100;
const shown = 10;

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
        <TableGrid label={t`Activity on this channel`} columns={activityColumns} rows={list} />
      )}
    </Panel>
  );
}
