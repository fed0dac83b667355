import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useMemo, useState } from 'react';
import { type Channel, channelApi } from '../../../../daemon/contract/channels.ts';
import { call } from '../../api/client.ts';
import { Panel } from '../../ui/Panel.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { trafficOf } from '../dashboard/traffic.ts';
import styles from './ChannelDetailPage.module.css';
import { append, columnsOf, type RateColumns } from './rate-history.ts';

const RatePlot = lazy(() => import('./RatePlot.tsx'));

/** Bit rate in and out over the last 60 minutes, going on live. */
export function RatePanel({ channel }: { channel: Channel }) {
  const { t } = useLingui();
  const { columns, version } = useRates(channel);
  return (
    <Panel title={<Trans>Bit rate</Trans>} aside={<span className={styles.faint}>{t`Last 60 minutes`}</span>}>
      <div className={styles.plot}>
        {columns && (
          <Suspense fallback={<Skeleton height={200} />}>
            <RatePlot columns={columns} version={version} />
          </Suspense>
        )}
      </div>
    </Panel>
  );
}

interface Rates {
  readonly columns: RateColumns | undefined;
  /** Counts the seconds appended. */
  readonly version: number;
}

/** The history once, then a point whenever the channel reports. */
function useRates(channel: Channel): Rates {
  const history = useQuery({
    queryKey: ['channels', 'history', channel.id],
    queryFn: ({ signal }) => call(channelApi.query, { query: { id: channel.id, history: 1 }, signal }),
    staleTime: 60_000,
  }).data?.history;
  const columns = useMemo(() => (history === undefined ? undefined : columnsOf(history)), [history]);
  const [version, setVersion] = useState(0);
  useEffect(() => {
    if (columns === undefined) return;
    const isOn = channel.config.enable;
    const time = Math.floor(Date.now() / 1000);
    append(columns, { time, in: isOn ? channel.kbps : null, out: isOn ? trafficOf([channel]).out : null });
    setVersion((count) => count + 1);
  }, [columns, channel]);
  return { columns, version };
}
