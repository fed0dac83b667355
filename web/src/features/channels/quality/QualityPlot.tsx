import { useRef } from 'react';
import type uPlot from 'uplot';
import { useFormat } from '../../../i18n/useFormat.ts';
import { plotOptions, tokenOf, usePlot } from '../plot-frame.ts';
import styles from '../RatePlot.module.css';
import { type Outage, type PlotData, topOf } from './quality-series.ts';

interface QualityPlotProps {
  readonly label: string;
  readonly time: readonly number[];
  readonly plot: PlotData;
  readonly outages: readonly Outage[];
  readonly windowSeconds: number;
  readonly ticks: (values: readonly number[]) => string[];
  /** Index of the step under the pointer. */
  readonly onHover: (at: number | undefined) => void;
}

/** Colors of the first and the second curve. */
export const curveInks = ['--sb-info', '--sb-warn'] as const;

export function QualityPlot(props: QualityPlotProps) {
  const { label, time, plot, onHover } = props;
  const format = useFormat();
  const latest = useRef(props);
  latest.current = props;
  const curveCount = plot.curves.length;
  const options = () => {
    const now = () => latest.current;
    const fault = tokenOf('--sb-fault');
    return plotOptions({
      ...{ format, onHover },
      span: () => now().windowSeconds,
      top: () => topOf(now().plot),
      ticks: (values) => now().ticks(values),
      timeAxis: { size: 22 },
      valueAxis: { size: 62, space: 26 },
      // The second curve is dashed: distinguishable without color.
      series: curveInks
        .slice(0, curveCount)
        .map((ink, at) => ({ stroke: tokenOf(ink), ...(at > 0 && { dash: [5, 3] }) })),
      hooks: { drawAxes: [(drawn) => drawOutages(drawn, now().outages, fault)] },
      // All plots of the dialog share one cursor.
      cursor: { sync: { key: 'quality' } },
    });
  };
  const box = usePlot({
    height: 128,
    options,
    data: () => [[...time], ...plot.curves.map(({ values }) => values)],
    of: [curveCount, format, onHover],
    version: [time, plot],
  });
  return <div ref={box} className={styles.plot} role="img" aria-label={label} />;
}

/** A band with a bar at its top: visible in both themes and without color vision. */
function drawOutages(plot: uPlot, outages: readonly Outage[], ink: string): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.fillStyle = ink;
  for (const { from, to } of outages) {
    const left = Math.max(bbox.left, plot.valToPos(from, 'x', true));
    const right = Math.min(bbox.left + bbox.width, plot.valToPos(to, 'x', true));
    if (right <= left) continue;
    const width = Math.max(right - left, devicePixelRatio);
    ctx.globalAlpha = 0.14;
    ctx.fillRect(left, bbox.top, width, bbox.height);
    ctx.globalAlpha = 1;
    ctx.fillRect(left, bbox.top, width, 3 * devicePixelRatio);
  }
  ctx.restore();
}
