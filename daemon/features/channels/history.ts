import type { History } from '../../contract/channels.ts';
import { limits } from '../../contract/limits.ts';
import type { RateHistory } from '../../media/protocol/messages.ts';

/** Returns the average of in and out together per minute, in Mbit/s, the newest last; null where it is unknown. */
export function minuteAverages(history: RateHistory | undefined): (number | null)[] {
  const perMinute = Math.max(1, Math.round(60 / (history?.stepSeconds ?? 60)));
  const length = Math.max(history?.in.length ?? 0, history?.out.length ?? 0);
  return Array.from({ length: limits.historyMinutes }, (_, minute) => {
    const to = length - (limits.historyMinutes - 1 - minute) * perMinute;
    return history === undefined ? null : averageOf(history, to - perMinute, to);
  });
}

function averageOf(history: RateHistory, from: number, to: number): number | null {
  let sum = 0;
  let known = 0;
  for (let at = Math.max(0, from); at < to; at++) {
    const inward = history.in[at] ?? null;
    const outward = history.out[at] ?? null;
    if (inward === null && outward === null) continue;
    sum += (inward ?? 0) + (outward ?? 0);
    known += 1;
  }
  return known === 0 ? null : Math.round(sum / known) / 1000;
}

/** A history without known values, which is drawn as gaps. */
export function noHistory(now: number): History {
  const gaps = Array.from({ length: limits.historyMinutes }, () => null);
  return { 'step-s': 60, end: now, in: gaps, out: gaps };
}
