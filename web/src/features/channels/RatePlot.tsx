import type { I18n } from '@lingui/core';
import { useLingui } from '@lingui/react/macro';
import type uPlot from 'uplot';
import type { RunEvent } from '../../../../daemon/contract/run-history.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import { amountText } from '../../lib/format.ts';
import styles from '../../shared/plots/Plot.module.css';
import { plotFont, plotOptions, tokenOf, usePlot } from '../../shared/plots/plot-frame.ts';
import { peaksAbove, plotTop } from './plot-scale.ts';
import { lastOf, type RateColumns, type SpanMinutes } from './rate-history.ts';
import { roleLooks, roleOf } from './switch-text.ts';

interface RatePlotProps {
  /** Grows in place. */
  readonly columns: RateColumns;
  readonly version: number;
  readonly minutes: SpanMinutes;
  /** Switches of the input, the newest first. */
  readonly switches: readonly RunEvent[];
  /** Index of the second under the pointer. */
  readonly onHover: (at: number | undefined) => void;
}

export default function RatePlot({ columns, version, minutes, switches, onHover }: RatePlotProps) {
  const { t, i18n } = useLingui();
  const format = useFormat();
  const amount = (kbps: number) => amountText(format.rate(kbps));
  const shown = () => lastOf(columns, minutes);
  const options = () => {
    const inks = [tokenOf('--sb-live'), tokenOf('--sb-info')] as const;
    return plotOptions({
      ...{ format, onHover, ticks: format.rateTicks },
      span: () => minutes * 60,
      top: () => plotTop(shown()),
      timeAxis: { size: 24 },
      valueAxis: { size: 74 },
      series: inks.map((stroke) => ({ stroke })),
      hooks: {
        draw: [
          (plot) => drawPeaks(plot, { columns: shown(), amount, inks }),
          (plot) => drawSwitches(plot, switches, i18n),
        ],
      },
    });
  };
  const box = usePlot({
    height: 200,
    options,
    data: () => [columns.time, columns.in, columns.out],
    of: [columns, format, onHover, minutes, switches],
    version: [version, columns],
  });
  const label = summaryOf(shown(), amount, t`Bitrate received`);
  return <div ref={box} className={styles.plot} role="img" aria-label={label} />;
}

/** Draws a line where another input went on air, with its role. */
function drawSwitches(plot: uPlot, switches: readonly RunEvent[], i18n: I18n): void {
  const { ctx, bbox } = plot;
  const scale = devicePixelRatio;
  ctx.save();
  ctx.font = plotFont.replace(/\d+/, (size) => String(Number(size) * scale));
  ctx.textBaseline = 'bottom';
  ctx.lineWidth = scale;
  ctx.setLineDash([4 * scale, 3 * scale]);
  let free = bbox.left + bbox.width;
  for (const { time, to } of switches) {
    const role = roleOf(to);
    const x = plot.valToPos(time / 1000, 'x', true);
    if (role === undefined || x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.strokeStyle = tokenOf(`--sb-${roleLooks[role].tone}`);
    ctx.fillStyle = ctx.strokeStyle;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    const text = i18n._(roleLooks[role].text);
    const right = x - 4 * scale;
    if (right > free) continue;
    ctx.textAlign = 'right';
    ctx.fillText(text, right, bbox.top + bbox.height - 3 * scale);
    free = right - ctx.measureText(text).width;
  }
  ctx.restore();
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
