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
}

const height = 200;
const windowSeconds = 3600;

export default function RatePlot({ columns, version }: RatePlotProps) {
  const { t } = useLingui();
  const format = useFormat();
  const scheme = useComputedColorScheme();
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const received = t`Received`;
  const sent = t`Sent`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the scheme decides the tokens that are read here
  useEffect(() => {
    const target = box.current;
    if (target === null) return;
    const width = target.clientWidth;
    const made = new uPlot(optionsOf({ width, format, received, sent }), dataOf(columns), target);
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: target.clientWidth, height }));
    observer.observe(target);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = undefined;
    };
  }, [columns, format, received, sent, scheme]);
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
  readonly received: string;
  readonly sent: string;
}

function optionsOf({ width, format, received, sent }: PlotWords): uPlot.Options {
  const token = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const faint = token('--sb-ink-2');
  const axis = { stroke: faint, grid: { stroke: token('--sb-line'), width: 1 }, ticks: { show: false } };
  const rate = (kbps: number | null) => (kbps === null ? '–' : Object.values(format.rate(kbps)).join(' '));
  const font = '11px system-ui, sans-serif';
  return {
    width,
    height,
    padding: [8, 8, 0, 0],
    cursor: { points: { size: 6 }, drag: { x: false, y: false } },
    scales: {
      x: { range: (_, __, max) => [max - windowSeconds, max] },
      y: { range: (_, __, max) => [0, niceTop(max)] },
    },
    legend: { show: true, live: true },
    axes: [
      { ...axis, font, values: (_, ticks) => ticks.map((tick) => format.clock(tick * 1000).slice(0, 5)) },
      { ...axis, font, size: 74, values: (_, ticks) => ticks.map((tick) => rate(tick)) },
    ],
    series: [
      { label: '', value: (_, time) => (time === null ? '' : format.clock(time * 1000)) },
      { label: received, stroke: token('--sb-live'), width: 1.5, value: (_, kbps) => rate(kbps), spanGaps: false },
      { label: sent, stroke: token('--sb-info'), width: 1.5, value: (_, kbps) => rate(kbps), spanGaps: false },
    ],
  };
}

function niceTop(max: number | null): number {
  return max === null || max <= 0 ? 1000 : max * 1.1;
}
