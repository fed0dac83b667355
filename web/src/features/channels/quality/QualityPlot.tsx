import { useRef } from 'react';
import { useFormat } from '../../../i18n/useFormat.ts';
import styles from '../../../shared/plots/Plot.module.css';
import { drawBands, plotOptions, tokenOf, usePlot } from '../../../shared/plots/plot-frame.ts';
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
      hooks: { drawAxes: [(drawn) => drawBands(drawn, now().outages, fault)] },
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
