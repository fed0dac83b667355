/** How high the plot of the bit rate reaches: one burst must not press an hour of ordinary seconds flat. */
import type { RateColumns } from './rate-history.ts';

type Rates = RateColumns['in'];

const emptyTop = 1000;
/** Share of the seconds that decide the scale. */
const ordinary = 0.98;
/** How far beyond the ordinary a rate is that no longer sets the scale. */
const burstFactor = 2;
const headroom = 1.1;

export function plotTop({ in: received, out: sent }: RateColumns): number {
  const top = Math.max(topOf(received), topOf(sent));
  return top === 0 ? emptyTop : top * headroom;
}

/** Silence counts for nothing: a channel that was on air for a minute is as high as its stream. */
function topOf(rates: Rates): number {
  const known = rates.filter((rate) => rate !== null && rate > 0).toSorted((a, b) => Number(a) - Number(b));
  const usual = known[Math.ceil((known.length - 1) * ordinary) - 1] ?? 0;
  const most = known.at(-1) ?? 0;
  return usual > 0 && most > usual * burstFactor ? usual * burstFactor : most;
}

/** Index of the highest rate of each stretch that doesn't fit below the top. */
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
