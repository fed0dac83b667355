import { msg } from '@lingui/core/macro';
import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useFormat } from '../../../i18n/useFormat.ts';
import { amountText, isMeasure } from '../../../lib/format.ts';
import { NoValue } from '../../../ui/data/Quantity.tsx';
import { ActFault } from '../../../ui/feedback/ActFault.tsx';
import { Skeleton } from '../../../ui/layout/Skeleton.tsx';
import { Dialog } from '../../../ui/overlay/Dialog.tsx';
import type { ShownConnection } from './connections.ts';
import styles from './QualityDialog.module.css';
import { curveInks, QualityPlot } from './QualityPlot.tsx';
import { type Minutes, qualityQuery } from './quality-query.ts';
import {
  type Curve,
  type Figure,
  type PlotData,
  type PlotKey,
  type QualityData,
  qualityData,
  summaryOf,
  type Unit,
} from './quality-series.ts';

const plotTitles = {
  loss: msg`Packets lost`,
  repair: msg`Retransmits and drops`,
  continuity: msg`CC errors`,
  rtt: msg`RTT`,
  jitter: msg`Jitter`,
  buffer: msg`Buffer`,
} satisfies Record<PlotKey, unknown>;

const figureNames = {
  'loss-percent': msg`Packets lost`,
  'pkt-loss': msg`Packets lost`,
  'pkt-retrans': msg`Retransmitted`,
  'pkt-drop': msg`Dropped`,
  'cc-errors': msg`CC errors`,
  'rtt-ms': msg`RTT`,
  'jitter-ms': msg`Jitter`,
  'buffer-ms': msg`Buffer`,
} satisfies Record<Figure, unknown>;

interface QualityDialogProps {
  readonly channel: number;
  readonly connection: ShownConnection;
  readonly onClose: () => void;
}

/** History of one connection: loss, repair, round trip, jitter and buffer. */
export default function QualityDialog({ channel, connection, onClose }: QualityDialogProps) {
  const { t } = useLingui();
  const [minutes, setMinutes] = useState<Minutes>(5);
  const { kind, id } = connection;
  const { data, error } = useQuery(qualityQuery({ channel, kind, id, minutes }));
  const spans = [
    { value: '5', label: t`5 minutes` },
    { value: '60', label: kind === 'client' ? t`10 minutes` : t`60 minutes` },
  ];
  return (
    <Dialog title={t`Link quality of ${connection.name}`} onClose={onClose} size={880}>
      <div className={styles.head}>
        <SegmentedControl
          size="xs"
          aria-label={t`Time shown`}
          data={spans}
          value={String(minutes)}
          onChange={(value) => setMinutes(value === '60' ? 60 : 5)}
        />
      </div>
      {error !== null && <ActFault error={error} />}
      {data === undefined
        ? error === null && <Skeleton height={320} />
        : (data.connected.length > 0 && (
            <Plots data={qualityData(data)} windowSeconds={60 * (kind === 'client' && minutes === 60 ? 10 : minutes)} />
          )) || (
            <p className={styles.quiet}>
              <Trans>No data for this connection yet.</Trans>
            </p>
          )}
    </Dialog>
  );
}

function Plots({ data, windowSeconds }: { data: QualityData; windowSeconds: number }) {
  const [hovered, setHovered] = useState<number>();
  const { time, plots, outages } = data;
  const at = hovered !== undefined && hovered < time.length ? hovered : undefined;
  return (
    <>
      <div className={styles.plots}>
        {plots.map((plot) => (
          <PlotBox key={plot.key} {...{ plot, time, outages, windowSeconds, at }} onHover={setHovered} />
        ))}
      </div>
      <Outages data={data} windowSeconds={windowSeconds} />
      <SummaryTable plots={plots} />
    </>
  );
}

interface PlotBoxProps extends Pick<QualityData, 'time' | 'outages'> {
  readonly plot: PlotData;
  readonly windowSeconds: number;
  /** Index of the step under the pointer. */
  readonly at: number | undefined;
  readonly onHover: (at: number | undefined) => void;
}

function PlotBox({ plot, time, outages, windowSeconds, at, onHover }: PlotBoxProps) {
  const { i18n } = useLingui();
  const format = useFormat();
  const { amount, ticks } = useAmounts();
  const title = i18n._(plotTitles[plot.key]);
  const moment = at === undefined ? undefined : time[at];
  const max = plot.curves.map((curve) => {
    const summary = summaryOf(curve.values);
    return summary.max === null ? '–' : `0 – ${amount(curve.figure, summary.max)}`;
  });
  return (
    <section className={styles.plot} aria-label={title}>
      <div className={styles.legend}>
        <h3>{title}</h3>
        {moment !== undefined && <span>{format.clock(moment * 1000)}</span>}
        {plot.curves.map((curve, index) => (
          <span key={curve.figure} className={styles.curve}>
            {plot.curves.length > 1 && (
              <>
                <i style={{ color: `var(${curveInks[index]})` }} data-dashed={index > 0} aria-hidden />
                {i18n._(figureNames[curve.figure])}
              </>
            )}
            <b>{valueText(curve, at, amount) ?? <NoValue />}</b>
          </span>
        ))}
      </div>
      <QualityPlot
        label={`${title}: ${max.join(format.comma)}`}
        {...{ time, plot, outages, windowSeconds, onHover }}
        ticks={(values) => ticks(values, plot.unit)}
      />
    </section>
  );
}

type AmountOf = (figure: Figure, value: number) => string;

function valueText({ figure, values }: Curve, at: number | undefined, amount: AmountOf): string | undefined {
  const value = values[at ?? values.length - 1];
  return value === undefined || value === null ? undefined : amount(figure, value);
}

interface Amounts {
  readonly amount: AmountOf;
  readonly ticks: (values: readonly number[], unit: Unit) => string[];
}

function useAmounts(): Amounts {
  const { t } = useLingui();
  const format = useFormat();
  const perSecond = (number: string) => t`${number}/s`;
  return {
    amount: (figure, value) =>
      isMeasure(figure) ? amountText(format.measure(figure, value)) : perSecond(format.number(value, 1)),
    ticks: (values, unit) =>
      unit === '/s' ? format.ticks(values, '').map((text) => perSecond(text.trim())) : format.ticks(values, unit),
  };
}

/** How often and for how long the connection was lost; the plots show these times as bands. */
function Outages({ data, windowSeconds }: { data: QualityData; windowSeconds: number }) {
  const format = useFormat();
  const { outages } = data;
  const known = format.span(Math.min(windowSeconds, data.seconds));
  const seconds = outages.reduce((sum, { from, to }) => sum + to - from, 0);
  const length = format.duration(seconds);
  return (
    <p className={styles.outages} data-any={outages.length > 0}>
      {outages.length === 0 ? (
        <Trans>No interruptions in the last {known}.</Trans>
      ) : (
        <Plural
          value={outages.length}
          one={`The connection was lost once, for ${length} in total.`}
          other={`The connection was lost # times, for ${length} in total.`}
        />
      )}
    </p>
  );
}

function SummaryTable({ plots }: { plots: readonly PlotData[] }) {
  const { t } = useLingui();
  return (
    <div className={styles.scroll}>
      <table className={styles.table} aria-label={t`Summary of the time shown`}>
        <thead>
          <tr>
            <th scope="col">{t`Metric`}</th>
            <th scope="col">{t`Current`}</th>
            <th scope="col">{t`Average`}</th>
            <th scope="col">{t`Highest`}</th>
          </tr>
        </thead>
        <tbody>
          {plots.flatMap(({ curves }) => curves.map((curve) => <SummaryRow key={curve.figure} curve={curve} />))}
        </tbody>
      </table>
    </div>
  );
}

function SummaryRow({ curve }: { curve: Curve }) {
  const { i18n } = useLingui();
  const { amount } = useAmounts();
  const { newest, mean, max } = summaryOf(curve.values);
  const cell = (value: number | null) => <td>{value === null ? <NoValue /> : amount(curve.figure, value)}</td>;
  return (
    <tr>
      <th scope="row">{i18n._(figureNames[curve.figure])}</th>
      {cell(newest)}
      {cell(mean)}
      {cell(max)}
    </tr>
  );
}
