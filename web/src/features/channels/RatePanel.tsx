import { Trans, useLingui } from '@lingui/react/macro';
import { SegmentedControl } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Suspense, useEffect, useMemo, useState } from 'react';
import type { Channel } from '../../../../daemon/contract/channels.ts';
import { limits } from '../../../../daemon/contract/limits.ts';
import type { RunEvent } from '../../../../daemon/contract/run-history.ts';
import { channelApi, runHistoryApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import { lazyPart } from '../../lib/lazy-part.tsx';
import { trafficOf } from '../../shared/streams/traffic.ts';
import { NoValue, Quantity } from '../../ui/data/Quantity.tsx';
import { Panel } from '../../ui/layout/Panel.tsx';
import { Skeleton } from '../../ui/layout/Skeleton.tsx';
import styles from './ChannelDetailPage.module.css';
import { append, columnsOf, type RateColumns, type SpanMinutes, usualSpan } from './rate-history.ts';

/** The hub stores a switch within a second. */
const lookAgainMs = 5000;

const RatePlot = lazyPart(() => import('./RatePlot.tsx'));

/** Live bitrate in and out over the last 60 minutes. */
export function RatePanel({ channel }: { channel: Channel }) {
  const { columns, version } = useRates(channel);
  const switches = useSwitches(channel);
  const [hovered, setHovered] = useState<number>();
  const [chosen, setChosen] = useState<SpanMinutes>();
  const usual = useMemo(() => columns && usualSpan(columns), [columns]);
  const minutes = chosen ?? usual ?? 60;
  return (
    <Panel title={<Trans>Bitrate</Trans>} aside={columns && <SpanChoice minutes={minutes} onChoose={setChosen} />}>
      {columns && (
        <Legend columns={columns} at={hovered ?? columns.time.length - 1} isHovered={hovered !== undefined} />
      )}
      <div className={styles.plot} aria-busy={columns === undefined}>
        {columns && (
          <Suspense fallback={<PlotSkeleton />}>
            <RatePlot {...{ columns, version, minutes, switches }} onHover={setHovered} />
          </Suspense>
        )}
      </div>
    </Panel>
  );
}

interface SpanChoiceProps {
  readonly minutes: SpanMinutes;
  readonly onChoose: (minutes: SpanMinutes) => void;
}

function SpanChoice({ minutes, onChoose }: SpanChoiceProps) {
  const { t } = useLingui();
  const data = [
    { value: '5', label: t`5 minutes` },
    { value: '60', label: t`60 minutes` },
  ];
  return (
    <SegmentedControl
      size="xs"
      aria-label={t`Time shown`}
      data={data}
      value={String(minutes)}
      onChange={(value) => onChoose(value === '5' ? 5 : 60)}
    />
  );
}

function PlotSkeleton() {
  return (
    <div aria-busy="true">
      <Skeleton height={200} />
    </div>
  );
}

interface LegendProps {
  readonly columns: RateColumns;
  readonly at: number;
  readonly isHovered: boolean;
}

/** The values under the pointer, otherwise the newest. */
function Legend({ columns, at, isHovered }: LegendProps) {
  const { t } = useLingui();
  const format = useFormat();
  const time = columns.time[at];
  const rate = (kbps: number | null | undefined) =>
    kbps === null || kbps === undefined ? <NoValue /> : <Quantity amount={format.rate(kbps)} isNarrow />;
  return (
    <div className={styles.legend}>
      {isHovered && time !== undefined && <span>{format.clock(time * 1000)}</span>}
      <span data-curve="in">
        {t`Received`}
        <span className={styles.legendValue}>{rate(columns.in[at])}</span>
      </span>
      <span data-curve="out">
        {t`Sent`}
        <span className={styles.legendValue}>{rate(columns.out[at])}</span>
      </span>
    </div>
  );
}

const noSwitches: readonly RunEvent[] = [];

/** The newest switches of the input, fetched again after each. */
function useSwitches({ id, failover }: Channel): readonly RunEvent[] {
  const { data = noSwitches } = useQuery({
    queryKey: ['run-history', id, 'switch', failover?.switches],
    queryFn: async ({ signal }) => {
      const query = { id, what: 'switch', count: limits.page.default } as const;
      return (await call(runHistoryApi.list, { query, signal })).list;
    },
    placeholderData: keepPreviousData,
    refetchInterval: lookAgainMs,
    enabled: failover !== undefined,
  });
  return data;
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
