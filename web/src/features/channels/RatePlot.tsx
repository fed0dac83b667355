import { useLingui } from '@lingui/react/macro';
import type uPlot from 'uplot';
import { useFormat } from '../../i18n/useFormat.ts';
import { plotFont, plotOptions, tokenOf, usePlot } from './plot-frame.ts';
import { peaksAbove, plotTop } from './plot-scale.ts';
import styles from './RatePlot.module.css';
import { lastOf, type RateColumns, type SpanMinutes } from './rate-history.ts';

interface RatePlotProps {
  /** Grows in place. */
  readonly columns: RateColumns;
  readonly version: number;
  readonly minutes: SpanMinutes;
  /** Index of the second under the pointer. */
  readonly onHover: (at: number | undefined) => void;
}

export default function RatePlot({ columns, version, minutes, onHover }: RatePlotProps) {
  const { t } = useLingui();
  const format = useFormat();
  const amount = (kbps: number) => Object.values(format.rate(kbps)).join(' ');
  const shown = () => lastOf(columns, minutes);
  const options = () => {
    const inks = [tokenOf('--sb-live'), tokenOf('--sb-info')] as const;
    return plotOptions({
      ...{ format, onHover, amount },
      span: () => minutes * 60,
      top: () => plotTop(shown()),
      timeAxis: { size: 24 },
      valueAxis: { size: 74 },
      series: inks.map((stroke) => ({ stroke })),
      hooks: { draw: [(plot) => drawPeaks(plot, { columns: shown(), amount, inks })] },
    });
  };
  const box = usePlot({
    height: 200,
    options,
    data: () => [columns.time, columns.in, columns.out],
    of: [columns, format, onHover, minutes],
    version: [version, columns],
  });
  const label = summaryOf(shown(), amount, t`Bit rate received`);
  return <div ref={box} className={styles.plot} role="img" aria-label={label} />;
}

/** Describes the curve for screen readers: minimum, maximum and latest value. */
function summaryOf(columns: RateColumns, amount: (kbps: number) => string, name: string): string {
  const known = columns.in.filter((value) => value !== null);
  if (known.length === 0) return name;
  return `${name}: ${amount(Math.min(...known))} – ${amount(Math.max(...known))}, ${amount(known.at(-1) ?? 0)}`;
}

interface PeakLook extends Pick<RatePlotProps, 'columns'> {
  readonly amount: (kbps: number) => string;
  /** Colors for received and sent. */
  readonly inks: readonly [string, string];
}

/** Draws an arrow where a burst exceeds the plot, with its rate. */
function drawPeaks(plot: uPlot, { columns, amount, inks }: PeakLook): void {
  const { ctx, bbox } = plot;
  const scale = devicePixelRatio;
  const top = plotTop(columns);
  ctx.save();
  ctx.font = plotFont.replace(/\d+/, (size) => String(Number(size) * scale));
  ctx.textBaseline = 'top';
  ctx.textAlign = 'left';
  for (const [line, rates] of [columns.in, columns.out].entries()) {
    ctx.fillStyle = inks[line] ?? '';
    const taken: { left: number; right: number }[] = [];
    // Of peaks that are close together, only the highest is labeled.
    for (const at of peaksAbove(rates, top).toSorted((a, b) => (rates[b] ?? 0) - (rates[a] ?? 0))) {
      const x = plot.valToPos(columns.time[at] ?? 0, 'x', true);
      const text = `▲ ${amount(rates[at] ?? 0)}`;
      const { width } = ctx.measureText(text);
      const left = Math.min(Math.max(x - ctx.measureText('▲').width / 2, bbox.left), bbox.left + bbox.width - width);
      const right = left + width + 4 * scale;
      if (taken.some((other) => left < other.right && right > other.left)) continue;
      ctx.fillText(text, left, bbox.top + (2 + line * 14) * scale);
      taken.push({ left, right });
    }
  }
  ctx.restore();
}
