import type { History } from '../../../../daemon/contract/channels.ts';

/** Columns in the plot's format: seconds since 1970, kbit/s in, kbit/s out. */
export interface RateColumns {
  readonly time: number[];
  readonly in: (number | null)[];
  readonly out: (number | null)[];
}

const keptSeconds = 3600;
/** A longer silence is drawn as a gap. */
const gapSeconds = 4;

/** Time span of a plot. */
export type SpanMinutes = 5 | 60;

/** The newest part. */
export function lastOf({ time, in: received, out }: RateColumns, minutes: SpanMinutes): RateColumns {
  const after = (time.at(-1) ?? 0) - minutes * 60;
  const first = time.findIndex((second) => second > after);
  const from = first < 0 ? time.length : first;
  return { time: time.slice(from), in: received.slice(from), out: out.slice(from) };
}

/** An hour if there is more than five minutes of data; a new channel would fill only the edge. */
export function usualSpan(columns: RateColumns): SpanMinutes {
  const first = columns.time.findIndex((_, at) => isKnown(columns.in[at]) || isKnown(columns.out[at]));
  const age = first < 0 ? 0 : (columns.time.at(-1) ?? 0) - (columns.time[first] ?? 0);
  return age > 5 * 60 ? 60 : 5;
}

function isKnown(rate: number | null | undefined): boolean {
  return rate !== null && rate !== undefined;
}

export function columnsOf(history: History): RateColumns {
  const { 'step-s': step, end } = history;
  const last = Math.round(end / 1000);
  const count = history.in.length;
  return {
    time: Array.from({ length: count }, (_, at) => last - (count - 1 - at) * step),
    in: [...history.in],
    out: [...history.out],
  };
}

/** Appends in place, so that the cost does not grow with the history; values older than an hour are dropped. */
export function append(columns: RateColumns, point: { time: number; in: number | null; out: number | null }): void {
  const last = columns.time.at(-1) ?? 0;
  if (point.time <= last) return;
  if (point.time - last > gapSeconds && last > 0) push(columns, last + 1, null, null);
  push(columns, point.time, point.in, point.out);
  const old = columns.time.findIndex((time) => time > point.time - keptSeconds);
  if (old > 0) for (const column of [columns.time, columns.in, columns.out]) column.splice(0, old);
}

function push(columns: RateColumns, time: number, rateIn: number | null, rateOut: number | null): void {
  columns.time.push(time);
  columns.in.push(rateIn);
  columns.out.push(rateOut);
}
