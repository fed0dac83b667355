/** Vertical scale of the bitrate plot: a single burst must not flatten an hour of ordinary values. */
import type { RateColumns } from './rate-history.ts';

type Rates = RateColumns['in'];

const emptyTop = 1000;
/** Share of the seconds that determine the scale. */
const ordinary = 0.98;
/** Rates above this multiple of the ordinary rate do not affect the scale. */
const burstFactor = 2;
const headroom = 1.1;

export function plotTop({ in: received, out: sent }: RateColumns): number {
  const top = Math.max(topOf(received), topOf(sent));
  return top === 0 ? emptyTop : top * headroom;
}

/** Silence is ignored: a channel that was on air for only a minute is scaled to its stream. */
function topOf(rates: Rates): number {
  const known = rates.filter((rate) => rate !== null && rate > 0).toSorted((a, b) => Number(a) - Number(b));
  const usual = known[Math.ceil((known.length - 1) * ordinary) - 1] ?? 0;
  const max = known.at(-1) ?? 0;
  return usual > 0 && max > usual * burstFactor ? usual * burstFactor : max;
}

/** Index of the highest rate in each run of values above the top. */
export function peaksAbove(rates: Rates, top: number): number[] {
  const peaks: number[] = [];
  let peak: number | undefined;
  for (const [at, rate] of rates.entries()) {
    const isAbove = rate !== null && rate > top;
    if (isAbove && (peak === undefined || rate > (rates[peak] ?? 0))) peak = at;
    if (!isAbove && peak !== undefined) {
      peaks.push(peak);
      peak = undefined;
    }
  }
  return peak === undefined ? peaks : [...peaks, peak];
}
