import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useMemo, useState } from 'react';
import { useFormat } from '../../../i18n/useFormat.ts';
import { type Amount, amountText, type Format } from '../../../lib/format.ts';
import { lazyPart } from '../../../lib/lazy-part.tsx';
import { deviceHistoryQuery } from '../../../shared/devices/devices-query.ts';
import { NoValue } from '../../../ui/data/Quantity.tsx';
import { Panel } from '../../../ui/layout/Panel.tsx';
import { Skeleton } from '../../../ui/layout/Skeleton.tsx';
import { type Curve, type DeviceSeries, deviceSeries, type Figure } from './device-series.ts';
import styles from './HistoryPanel.module.css';

const FigurePlot = lazyPart(() => import('./FigurePlot.tsx'));

const names = {
  rate: msg`Bitrate`,
  cpu: msg`CPU`,
  temperature: msg`Temperature`,
} satisfies Record<Figure, unknown>;

interface Unit {
  readonly amount: (value: number) => Amount;
  readonly ticks: (values: readonly number[]) => string[];
}

const unitsOf = (format: Format): Record<Figure, Unit> => ({
  rate: { amount: format.rate, ticks: format.rateTicks },
  cpu: { amount: format.percent, ticks: (values) => format.ticks(values, '%') },
  temperature: {
    amount: (value) => ({ value: format.number(value), unit: '°C' }),
    ticks: (values) => format.ticks(values, '°C'),
  },
});

/** Bitrate, load and temperature of the last hour, of what the device states. */
export function HistoryPanel({ sn }: { sn: string }) {
  const history = useQuery(deviceHistoryQuery(sn)).data;
  const series = useMemo(() => history && deviceSeries(history), [history]);
  return (
    <Panel title={<Trans>Last hour</Trans>}>
      {series === undefined || series === null ? (
        <div aria-busy={history === undefined}>
          <PlotSkeleton />
        </div>
      ) : series.curves.length === 0 ? (
        <p className={styles.note}>
          <Trans>The device has reported no bitrate, load or temperature in the last hour.</Trans>
        </p>
      ) : (
        <Plots series={series} />
      )}
    </Panel>
  );
}

const PlotSkeleton = () => <Skeleton height={132} />;

function Plots({ series }: { series: DeviceSeries }) {
  const format = useFormat();
  const [hovered, setHovered] = useState<number>();
  const { time, curves, gaps, gapSeconds, spanSeconds } = series;
  const at = hovered !== undefined && hovered < time.length ? hovered : undefined;
  return (
    <>
      <div className={styles.plots}>
        {curves.map((curve) => (
          <Plot key={curve.figure} {...{ curve, time, gaps, spanSeconds, at }} onHover={setHovered} />
        ))}
      </div>
      {gaps.length > 0 && (
        <p className={styles.note}>
          <Trans>The device did not answer for {format.span(gapSeconds)} of the last hour.</Trans>
        </p>
      )}
    </>
  );
}

interface PlotProps extends Pick<DeviceSeries, 'time' | 'gaps' | 'spanSeconds'> {
  readonly curve: Curve;
  /** Index of the step under the pointer. */
  readonly at: number | undefined;
  readonly onHover: (at: number | undefined) => void;
}

function Plot({ curve, time, gaps, spanSeconds, at, onHover }: PlotProps) {
  const { i18n, t } = useLingui();
  const format = useFormat();
  const { amount, ticks } = unitsOf(format)[curve.figure];
  const text = (value: number) => amountText(amount(value));
  const name = i18n._(names[curve.figure]);
  const moment = at === undefined ? undefined : time[at];
  const shown = at === undefined ? newestOf(curve.values) : (curve.values[at] ?? null);
  const [least, most] = [text(curve.min), text(curve.max)];
  return (
    <section className={styles.plot} aria-label={name}>
      <div className={styles.legend}>
        <h3>{name}</h3>
        {moment !== undefined && <span>{format.clock(moment * 1000)}</span>}
        {moment === undefined && least !== most && <span>{t`${least} to ${most}`}</span>}
        <b>{shown === null ? <NoValue /> : text(shown)}</b>
      </div>
      <div className={styles.frame}>
        <Suspense fallback={<PlotSkeleton />}>
          <FigurePlot label={t`${name}: ${least} to ${most}`} {...{ time, curve, gaps, spanSeconds, ticks, onHover }} />
        </Suspense>
      </div>
    </section>
  );
}

/** The newest step has no value before the device was asked in it; an older one is not the present. */
function newestOf(values: Curve['values']): number | null {
  return values.at(-1) ?? values.at(-2) ?? null;
}
