import { useRef } from 'react';
import { useFormat } from '../../../i18n/useFormat.ts';
import styles from '../../../shared/plots/Plot.module.css';
import { type Band, drawBands, plotOptions, tokenOf, usePlot } from '../../../shared/plots/plot-frame.ts';
import { type Curve, topOf } from './device-series.ts';

interface FigurePlotProps {
  readonly label: string;
  readonly time: readonly number[];
  readonly curve: Curve;
  readonly gaps: readonly Band[];
  readonly spanSeconds: number;
  readonly ticks: (values: readonly number[]) => string[];
  /** Index of the step under the pointer. */
  readonly onHover: (at: number | undefined) => void;
}

/** Height of a plot, in pixels. */
const plotHeight = 132;

/** One figure of a device over the last hour. */
export default function FigurePlot(props: FigurePlotProps) {
  const { label, time, curve, gaps, onHover } = props;
  const format = useFormat();
  const latest = useRef(props);
  latest.current = props;
  const options = () =>
    plotOptions({
      ...{ format, onHover },
      span: () => latest.current.spanSeconds,
      top: () => topOf(latest.current.curve),
      ticks: (values) => latest.current.ticks(values),
      timeAxis: { size: 22 },
      valueAxis: { size: 66, space: 28 },
      series: [{ stroke: tokenOf('--sb-info') }],
      hooks: { drawAxes: [(plot) => drawBands(plot, latest.current.gaps, tokenOf('--sb-ink-2'))] },
      // All plots of the device share one cursor.
      cursor: { sync: { key: 'device' } },
    });
  const box = usePlot({
    height: plotHeight,
    options,
    data: () => [[...time], [...curve.values]],
    of: [format, onHover],
    version: [time, curve, gaps],
  });
  return <div ref={box} className={styles.plot} role="img" aria-label={label} />;
}
