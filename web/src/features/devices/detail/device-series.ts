/** The last hour of a device as curves over time. Pure. */
import type { ResponseOf } from '../../../../../daemon/contract/endpoint.ts';
import type { deviceApi } from '../../../api/calls.ts';
import type { Band } from '../../../shared/plots/plot-frame.ts';

export type History = NonNullable<ResponseOf<typeof deviceApi.query>['dev']['history']>;
type Series = readonly (number | null)[];

export type Figure = 'rate' | 'cpu' | 'temperature';

export interface Curve {
  readonly figure: Figure;
  readonly values: Series;
  /** Of the values that are known. */
  readonly min: number;
  readonly max: number;
}

export interface DeviceSeries {
  /** Seconds since 1970, one per step. */
  readonly time: number[];
  /** Only those of which the device states something. */
  readonly curves: readonly Curve[];
  /** When nothing is known, although something was before: the device did not answer. */
  readonly gaps: readonly Band[];
  /** Length of all gaps. */
  readonly gapSeconds: number;
  /** To be shown, up to the newest step: less than an hour as long as little is known, which would fill only the edge. */
  readonly spanSeconds: number;
}

const sources: readonly (readonly [Figure, 'stream-kbps' | 'cpu' | 'temperature'])[] = [
  ['rate', 'stream-kbps'],
  ['cpu', 'cpu'],
  ['temperature', 'temperature'],
];

const shortSeconds = 600;

export function deviceSeries(history: History): DeviceSeries {
  const step = history['step-s'];
  const end = Math.round(history.end / 1000);
  const count = history.cpu.length;
  const time = Array.from({ length: count }, (_, at) => end - (count - 1 - at) * step);
  const curves = sources.flatMap(([figure, source]): Curve[] => {
    const values = history[source];
    const known = values.filter((value) => value !== null);
    return known.length === 0 ? [] : [{ figure, values, min: Math.min(...known), max: Math.max(...known) }];
  });
  const isKnown = knownSteps(history);
  const first = isKnown.indexOf(true);
  const gaps = gapsOf(isKnown, time, step);
  const age = first < 0 ? 0 : (count - first) * step;
  return {
    ...{ time, curves, gaps, gapSeconds: gaps.reduce((sum, { from, to }) => sum + to - from, 0) },
    spanSeconds: age > shortSeconds ? count * step : shortSeconds,
  };
}

/** For each step whether anything is known. */
function knownSteps(history: History): boolean[] {
  const rates = [history['stream-kbps'], history['rx-kbps'], history['tx-kbps']];
  const all: readonly Series[] = [...rates, history.cpu, history.temperature];
  return history.cpu.map((_, at) => all.some((values) => (values[at] ?? null) !== null));
}

function gapsOf(isKnown: readonly boolean[], time: readonly number[], step: number): Band[] {
  const first = isKnown.indexOf(true);
  const gaps: Band[] = [];
  // The newest step has no value before the device was asked in it.
  for (let at = Math.max(first, 0); at < time.length - 1; at++) {
    const to = time[at] ?? 0;
    if (isKnown[at]) continue;
    const before = at > 0 && isKnown[at - 1] === false ? gaps.pop() : undefined;
    gaps.push({ from: before?.from ?? to - step, to });
  }
  return first < 0 ? [] : gaps;
}

/** Smallest tops of the scales, so that a device at rest does not look busy. */
const leastTop: Readonly<Record<Figure, number>> = { rate: 1000, cpu: 100, temperature: 80 };
const headroom = 1.1;

export function topOf({ figure, max }: Curve): number {
  return figure === 'cpu' ? leastTop.cpu : Math.max(leastTop[figure], max * headroom);
}
