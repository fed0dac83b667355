/** Delay before the next attempt: doubling with full jitter, so that many legs don't return in step. */
import { timing } from '../timing.ts';

export interface Backoff {
  /** Milliseconds to wait now. `hopeless`: the cause will hardly go away by itself (DNS, authorisation). */
  next(hopeless: boolean): number;
  /** Call when the connection ended after `ms` of good flow: each `goodMs` of it forgets one failure. */
  ended(ms: number): void;
}

export function createBackoff(random: () => number = Math.random): Backoff {
  let failures = 0;
  return {
    next(hopeless) {
      const base = hopeless ? timing.backoff.hopelessMs : timing.backoff.firstMs;
      const ceiling = Math.min(timing.backoff.lastMs, base * 2 ** failures);
      failures = Math.min(failures + 1, 10);
      // Half fixed, half random: never at once, never in step.
      return ceiling / 2 + (random() * ceiling) / 2;
    },
    ended(ms) {
      failures = Math.max(0, failures - Math.floor(ms / timing.backoff.goodMs));
    },
  };
}
