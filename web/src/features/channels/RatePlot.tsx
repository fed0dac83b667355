import 'uplot/dist/uPlot.min.css';

import { useLingui } from '@lingui/react/macro';
import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import { useFormat } from '../../i18n/useFormat.ts';
import type { Format } from '../../lib/format.ts';
import styles from './RatePlot.module.css';
import type { RateColumns } from './rate-history.ts';

interface RatePlotProps {
  /** Grows in place. */
  readonly columns: RateColumns;
  readonly version: number;
  /** Index of the second under the pointer. */
  readonly onHover: (at: number | undefined) => void;
}

const height = 200;
const windowSeconds = 3600;

export default function RatePlot({ columns, version, onHover }: RatePlotProps) {
  const { t } = useLingui();
  const format = useFormat();
  const scheme = useComputedColorScheme();
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the scheme decides the tokens that are read here
  useEffect(() => {
    const target = box.current;
    if (target === null) return;
    const width = target.clientWidth;
    const made = new uPlot(optionsOf({ width, format, onHover }), dataOf(columns), target);
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: target.clientWidth, height }));
    observer.observe(target);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = undefined;
    };
  }, [columns, format, onHover, scheme]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the columns grow in place, the version tells
  useEffect(() => plot.current?.setData(dataOf(columns)), [version, columns]);
  return (
    <div ref={box} className={styles.plot} role="img" aria-label={summaryOf(columns, format, t`Bit rate received`)} />
  );
}

function dataOf({ time, in: received, out: sent }: RateColumns): uPlot.AlignedData {
  return [time, received, sent];
}

/** What the curve says, for who can't see it: least, most and last. */
function summaryOf(columns: RateColumns, format: Format, name: string): string {
  const known = columns.in.filter((value) => value !== null);
  if (known.length === 0) return name;
  const text = (kbps: number) => Object.values(format.rate(kbps)).join(' ');
  return `${name}: ${text(Math.min(...known))} – ${text(Math.max(...known))}, ${text(known.at(-1) ?? 0)}`;
}

interface PlotWords {
  readonly width: number;
  readonly format: Format;
  readonly onHover: (at: number | undefined) => void;
}

function optionsOf({ width, format, onHover }: PlotWords): uPlot.Options {
  const token = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const faint = token('--sb-ink-2');
  const axis = { stroke: faint, grid: { stroke: token('--sb-line'), width: 1 }, ticks: { show: false } };
  const rate = (kbps: number) => Object.values(format.rate(kbps)).join(' ');
  const font = '11px system-ui, sans-serif';
  return {
    width,
    height,
    // Half a time stamp fits right of the last grid line.
    padding: [8, 18, 0, 0],
    cursor: { points: { size: 6 }, drag: { x: false, y: false } },
    scales: {
      x: { range: (_, __, max) => [max - windowSeconds, max] },
      y: { range: (_, __, max) => [0, niceTop(max)] },
    },
    legend: { show: false },
    hooks: { setCursor: [({ cursor: { idx } }) => onHover(idx ?? undefined)] },
    axes: [
      { ...axis, font, size: 24, values: (_, ticks) => ticks.map((tick) => format.clock(tick * 1000).slice(0, 5)) },
      { ...axis, font, size: 74, values: (_, ticks) => ticks.map((tick) => rate(tick)) },
    ],
    series: [
      {},
      { stroke: token('--sb-live'), width: 1.5, spanGaps: false },
      { stroke: token('--sb-info'), width: 1.5, spanGaps: false },
    ],
  };
}

function niceTop(max: number | null): number {
  return max === null || max <= 0 ? 1000 : max * 1.1;
}
