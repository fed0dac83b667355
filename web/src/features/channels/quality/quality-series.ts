/** Converts the history of a connection to the series of the plots and the table. Pure. */
import type { Quality } from '../../../../../daemon/contract/channels.ts';
import type { Band } from '../../../shared/plots/plot-frame.ts';

type Series = (number | null)[];
export type Figure = Exclude<keyof Quality, 'step-s' | 'end' | 'connected'>;
export type Unit = '%' | 'ms' | '/s';
export type PlotKey = 'loss' | 'repair' | 'continuity' | 'rtt' | 'jitter' | 'buffer';

export interface Curve {
  readonly figure: Figure;
  readonly values: Series;
}
export interface PlotData {
  readonly key: PlotKey;
  readonly unit: Unit;
  readonly curves: readonly Curve[];
}
export type Outage = Band;
export interface QualityData {
  /** Seconds since 1970, one per step. */
  readonly time: number[];
  /** How long the record is. */
  readonly seconds: number;
  readonly plots: readonly PlotData[];
  readonly outages: readonly Outage[];
}

const layout: readonly { key: PlotKey; unit: Unit; figures: readonly Figure[] }[] = [
  { key: 'loss', unit: '%', figures: ['loss-percent'] },
  { key: 'repair', unit: '/s', figures: ['pkt-retrans', 'pkt-drop'] },
  { key: 'continuity', unit: '/s', figures: ['cc-errors'] },
  { key: 'rtt', unit: 'ms', figures: ['rtt-ms'] },
  { key: 'jitter', unit: 'ms', figures: ['jitter-ms'] },
  { key: 'buffer', unit: 'ms', figures: ['buffer-ms'] },
];

export function qualityData(quality: Quality): QualityData {
  const step = quality['step-s'];
  const last = Math.round(quality.end / 1000);
  const count = quality.connected.length;
  const time = Array.from({ length: count }, (_, at) => last - (count - 1 - at) * step);
  const plots = layout.flatMap(({ key, unit, figures }) => {
    const curves = figures.flatMap((figure): Curve[] => {
      const values = quality[figure];
      return values === undefined ? [] : [{ figure, values: unit === '/s' ? perSecond(values, step) : values }];
    });
    return curves.length === 0 ? [] : [{ key, unit, curves }];
  });
  return { time, seconds: count * step, plots, outages: outagesOf(quality.connected, time, step) };
}

function perSecond(values: Series, step: number): Series {
  return values.map((value) => (value === null ? null : value / step));
}

function outagesOf(connected: readonly boolean[], time: readonly number[], step: number): Outage[] {
  const outages: Outage[] = [];
  for (const [at, isThere] of connected.entries()) {
    const to = time[at] ?? 0;
    if (isThere) continue;
    const before = at > 0 && connected[at - 1] === false ? outages.pop() : undefined;
    outages.push({ from: before?.from ?? to - step, to });
  }
  return outages;
}

export interface Summary {
  readonly newest: number | null;
  readonly mean: number | null;
  readonly max: number | null;
}

export function summaryOf(values: Series): Summary {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return { newest: null, mean: null, max: null };
  const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
  return { newest: values.at(-1) ?? null, mean, max: Math.max(...known) };
}

/** Minimum scale tops, so that a tenth of a percent on a quiet connection does not look large. */
const leastTop: Readonly<Record<Unit, number>> = { '%': 1, ms: 10, '/s': 2 };
const headroom = 1.15;

export function topOf({ unit, curves }: PlotData): number {
  const max = Math.max(0, ...curves.map(({ values }) => summaryOf(values).max ?? 0));
  return Math.max(leastTop[unit], max * headroom);
}
