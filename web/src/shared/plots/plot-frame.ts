/** What all plots have in common: a curve over time, drawn on a canvas with the colors of the theme. */
import 'uplot/dist/uPlot.min.css';

import { useComputedColorScheme } from '@mantine/core';
import { type RefObject, useEffect, useRef } from 'react';
import uPlot from 'uplot';
import type { Format } from '../../lib/format.ts';

/** Half the width of a time label, in pixels. */
const timeLabelHalf = 18;
export const plotFont = '11px system-ui, sans-serif';

/** Value of a color of the theme, which a canvas cannot take by name. */
export function tokenOf(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

interface PlotFrame {
  readonly format: Format;
  /** Index of the point under the pointer. */
  readonly onHover: (at: number | undefined) => void;
  /** Time span shown, in seconds. */
  readonly span: () => number;
  readonly top: () => number;
  /** Labels of the value axis. */
  readonly ticks: (values: readonly number[]) => string[];
  readonly timeAxis: uPlot.Axis;
  readonly valueAxis: uPlot.Axis;
  /** One for each curve. */
  readonly series: readonly uPlot.Series[];
  readonly hooks: uPlot.Hooks.Arrays;
  readonly cursor?: uPlot.Cursor;
}

/** All options of a plot but its size. */
export function plotOptions(frame: PlotFrame): Omit<uPlot.Options, 'width' | 'height'> {
  const { format, onHover, span, top, ticks: labels, timeAxis, valueAxis, series, hooks, cursor } = frame;
  const axis = {
    font: plotFont,
    stroke: tokenOf('--sb-ink-2'),
    grid: { stroke: tokenOf('--sb-line'), width: 1 },
    ticks: { show: false },
  };
  return {
    // Leaves room for half a time label to the right of the last grid line.
    padding: [8, 18, 0, 0],
    cursor: { points: { size: 6 }, drag: { x: false, y: false }, ...cursor },
    scales: { x: { range: (_, __, max) => [max - span(), max] }, y: { range: () => [0, top()] } },
    legend: { show: false },
    hooks: { setCursor: [({ cursor: { idx } }) => onHover(idx ?? undefined)], ...hooks },
    axes: [
      { ...axis, space: 44, values: (plot, ticks) => ticks.map((tick) => timeLabel(plot, tick, format)), ...timeAxis },
      { ...axis, values: (_, ticks) => labels(ticks), ...valueAxis },
    ],
    series: [{}, ...series.map((one) => ({ width: 1.5, spanGaps: false, ...one }))],
  };
}

/** Hours and minutes, on full minutes only; empty where the label would overlap the lowest value label. */
function timeLabel(plot: uPlot, tick: number, format: Format): string {
  return tick % 60 !== 0 || plot.valToPos(tick, 'x') < timeLabelHalf ? '' : format.clock(tick * 1000).slice(0, 5);
}

interface PlotSource {
  readonly height: number;
  readonly options: () => ReturnType<typeof plotOptions>;
  readonly data: () => uPlot.AlignedData;
  /** The plot is created again when one of these changes, and when the color scheme does. */
  readonly of: readonly unknown[];
  /** The data is set again when one of these changes. */
  readonly version: readonly unknown[];
}

/** Draws a plot into the element that gets the returned reference; it follows the width of the element. */
export function usePlot({ height, options, data, of, version }: PlotSource): RefObject<HTMLDivElement | null> {
  const scheme = useComputedColorScheme();
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the caller names what the options depend on
  useEffect(() => {
    const target = box.current;
    if (target === null) return;
    const size = () => ({ width: target.clientWidth, height });
    const made = new uPlot({ ...options(), ...size() }, data(), target);
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize(size()));
    observer.observe(target);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = undefined;
    };
  }, [...of, scheme]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the caller names what the data depends on
  useEffect(() => plot.current?.setData(data()), version);
  return box;
}

/** Part of the time of a plot, in seconds since 1970. */
export interface Band {
  readonly from: number;
  readonly to: number;
}

/** A band with a bar at its top: visible in both themes and without color vision. */
export function drawBands(plot: uPlot, bands: readonly Band[], ink: string): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.fillStyle = ink;
  for (const { from, to } of bands) {
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
