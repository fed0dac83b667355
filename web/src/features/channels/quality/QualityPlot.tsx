import 'uplot/dist/uPlot.min.css';

import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import { useFormat } from '../../../i18n/useFormat.ts';
import type { Format } from '../../../lib/format.ts';
import styles from '../RatePlot.module.css';
import { type Outage, type PlotData, topOf } from './quality-series.ts';

interface QualityPlotProps {
  readonly label: string;
  readonly time: readonly number[];
  readonly plot: PlotData;
  readonly outages: readonly Outage[];
  readonly windowSeconds: number;
  readonly amount: (value: number) => string;
  /** Index of the step under the pointer. */
  readonly onHover: (at: number | undefined) => void;
}

const height = 128;
/** Half the width of a time label, in pixels. */
const timeLabelHalf = 18;
/** Synchronizes the cursors of all plots of the dialog. */
const pointer = 'quality';
/** Colors of the first and the second curve. */
export const curveInks = ['--sb-info', '--sb-warn'] as const;

export function QualityPlot(props: QualityPlotProps) {
  const { label, time, plot, onHover } = props;
  const format = useFormat();
  const scheme = useComputedColorScheme();
  const box = useRef<HTMLDivElement>(null);
  const made = useRef<uPlot>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const curveCount = plot.curves.length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the scheme determines the tokens that are read here
  useEffect(() => {
    const target = box.current;
    if (target === null) return;
    const width = target.clientWidth;
    const now = () => latest.current;
    const drawn = new uPlot(optionsOf({ width, format, onHover, now, curveCount }), dataOf(now()), target);
    made.current = drawn;
    const observer = new ResizeObserver(() => drawn.setSize({ width: target.clientWidth, height }));
    observer.observe(target);
    return () => {
      observer.disconnect();
      drawn.destroy();
      made.current = undefined;
    };
  }, [curveCount, format, onHover, scheme]);
  useEffect(() => made.current?.setData(dataOf({ time, plot })), [time, plot]);
  return <div ref={box} className={styles.plot} role="img" aria-label={label} />;
}

function dataOf({ time, plot }: Pick<QualityPlotProps, 'time' | 'plot'>): uPlot.AlignedData {
  return [[...time], ...plot.curves.map(({ values }) => values)];
}

interface PlotWords extends Pick<QualityPlotProps, 'onHover'> {
  readonly width: number;
  readonly format: Format;
  readonly now: () => QualityPlotProps;
  readonly curveCount: number;
}

function optionsOf({ width, format, onHover, now, curveCount }: PlotWords): uPlot.Options {
  const token = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const font = '11px system-ui, sans-serif';
  const axis = {
    font,
    stroke: token('--sb-ink-2'),
    grid: { stroke: token('--sb-line'), width: 1 },
    ticks: { show: false },
  };
  const clock = (plot: uPlot, tick: number) =>
    tick % 60 !== 0 || plot.valToPos(tick, 'x') < timeLabelHalf ? '' : format.clock(tick * 1000).slice(0, 5);
  return {
    width,
    height,
    padding: [8, 18, 0, 0],
    cursor: { points: { size: 6 }, drag: { x: false, y: false }, sync: { key: pointer } },
    scales: {
      x: { range: (_, __, max) => [max - now().windowSeconds, max] },
      y: { range: () => [0, topOf(now().plot)] },
    },
    legend: { show: false },
    hooks: {
      setCursor: [({ cursor: { idx } }) => onHover(idx ?? undefined)],
      drawAxes: [(plot) => drawOutages(plot, now().outages, token('--sb-fault'))],
    },
    axes: [
      { ...axis, size: 22, space: 44, values: (plot, ticks) => ticks.map((tick) => clock(plot, tick)) },
      { ...axis, size: 62, space: 26, values: (_, ticks) => ticks.map((tick) => now().amount(tick)) },
    ],
    series: [
      {},
      ...curveInks.slice(0, curveCount).map((ink, at) => ({
        stroke: token(ink),
        width: 1.5,
        spanGaps: false,
        // Distinguishable without color.
        ...(at > 0 && { dash: [5, 3] }),
      })),
    ],
  };
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
