import 'uplot/dist/uPlot.min.css';

import { useLingui } from '@lingui/react/macro';
import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import { useFormat } from '../../i18n/useFormat.ts';
import type { Format } from '../../lib/format.ts';
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

const height = 200;
/** Half the width of a time label, in pixels. */
const timeLabelHalf = 18;

export default function RatePlot({ columns, version, minutes, onHover }: RatePlotProps) {
  const { t } = useLingui();
  const format = useFormat();
  const scheme = useComputedColorScheme();
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the scheme determines the tokens that are read here
  useEffect(() => {
    const target = box.current;
    if (target === null) return;
    const width = target.clientWidth;
    const made = new uPlot(optionsOf({ width, format, onHover, columns, minutes }), dataOf(columns), target);
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: target.clientWidth, height }));
    observer.observe(target);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = undefined;
    };
  }, [columns, format, onHover, minutes, scheme]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the columns grow in place; the version signals changes
  useEffect(() => plot.current?.setData(dataOf(columns)), [version, columns]);
  return (
    <div
      ref={box}
      className={styles.plot}
      role="img"
      aria-label={summaryOf(lastOf(columns, minutes), format, t`Bit rate received`)}
    />
  );
}

function dataOf({ time, in: received, out: sent }: RateColumns): uPlot.AlignedData {
  return [time, received, sent];
}

/** Describes the curve for screen readers: minimum, maximum and latest value. */
function summaryOf(columns: RateColumns, format: Format, name: string): string {
  const known = columns.in.filter((value) => value !== null);
  if (known.length === 0) return name;
  const text = (kbps: number) => Object.values(format.rate(kbps)).join(' ');
  return `${name}: ${text(Math.min(...known))} – ${text(Math.max(...known))}, ${text(known.at(-1) ?? 0)}`;
}

interface PlotWords extends Pick<RatePlotProps, 'columns' | 'minutes'> {
  readonly width: number;
  readonly format: Format;
  readonly onHover: (at: number | undefined) => void;
}

function optionsOf({ width, format, onHover, columns, minutes }: PlotWords): uPlot.Options {
  const token = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const faint = token('--sb-ink-2');
  const axis = { stroke: faint, grid: { stroke: token('--sb-line'), width: 1 }, ticks: { show: false } };
  const rate = (kbps: number) => Object.values(format.rate(kbps)).join(' ');
  const font = '11px system-ui, sans-serif';
  return {
    width,
    height,
    // Leaves room for half a time label to the right of the last grid line.
    padding: [8, 18, 0, 0],
    cursor: { points: { size: 6 }, drag: { x: false, y: false } },
    scales: {
      x: { range: (_, __, max) => [max - minutes * 60, max] },
      y: { range: () => [0, plotTop(lastOf(columns, minutes))] },
    },
    legend: { show: false },
    hooks: {
      setCursor: [({ cursor: { idx } }) => onHover(idx ?? undefined)],
      draw: [
        (plot) =>
          drawPeaks(plot, {
            columns: lastOf(columns, minutes),
            rate,
            font,
            inks: [token('--sb-live'), token('--sb-info')],
          }),
      ],
    },
    axes: [
      {
        ...axis,
        font,
        size: 24,
        space: 44,
        values: (plot, ticks) => ticks.map((tick) => timeLabel(plot, tick, format)),
      },
      { ...axis, font, size: 74, values: (_, ticks) => ticks.map((tick) => rate(tick)) },
    ],
    series: [
      {},
      { stroke: token('--sb-live'), width: 1.5, spanGaps: false },
      { stroke: token('--sb-info'), width: 1.5, spanGaps: false },
    ],
  };
}

/** Hours and minutes, on full minutes only; empty where the label would overlap the lowest rate label. */
function timeLabel(plot: uPlot, tick: number, format: Format): string {
  return tick % 60 !== 0 || plot.valToPos(tick, 'x') < timeLabelHalf ? '' : format.clock(tick * 1000).slice(0, 5);
}

interface PeakLook extends Pick<RatePlotProps, 'columns'> {
  readonly rate: (kbps: number) => string;
  readonly font: string;
  /** Colors for received and sent. */
  readonly inks: readonly [string, string];
}

/** Draws an arrow where a burst exceeds the plot, with its rate. */
function drawPeaks(plot: uPlot, { columns, rate, font, inks }: PeakLook): void {
  const { ctx, bbox } = plot;
  const scale = devicePixelRatio;
  const top = plotTop(columns);
  ctx.save();
  ctx.font = font.replace(/\d+/, (size) => String(Number(size) * scale));
  ctx.textBaseline = 'top';
  ctx.textAlign = 'left';
  for (const [line, rates] of [columns.in, columns.out].entries()) {
    ctx.fillStyle = inks[line] ?? '';
    const taken: { left: number; right: number }[] = [];
    // Of peaks that are close together, only the highest is labeled.
    for (const at of peaksAbove(rates, top).toSorted((a, b) => (rates[b] ?? 0) - (rates[a] ?? 0))) {
      const x = plot.valToPos(columns.time[at] ?? 0, 'x', true);
      const text = `▲ ${rate(rates[at] ?? 0)}`;
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
