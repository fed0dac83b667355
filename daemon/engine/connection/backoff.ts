/** Delay before the next attempt: exponential with jitter, so that many connections do not return in step. */
import { timing } from '../../timing.ts';

export type Backoff = ReturnType<typeof createBackoff>;

export function createBackoff(random: () => number = Math.random) {
  let failures = 0;
  return {
    /** Milliseconds to wait. `permanent`: the cause is unlikely to go away by itself (DNS, authorization). */
    next(permanent: boolean): number {
      const base = permanent ? timing.backoff.permanentMs : timing.backoff.firstMs;
      const ceiling = Math.min(timing.backoff.lastMs, base * 2 ** failures);
      failures = Math.min(failures + 1, 10);
      // Half fixed, half random: never immediately, never in step.
      return ceiling / 2 + (random() * ceiling) / 2;
    },
    /** Call when a connection ended after `ms` of good flow; every `goodMs` of it cancels one failure. */
    ended(ms: number): void {
      failures = Math.max(0, failures - Math.floor(ms / timing.backoff.goodMs));
    },
  };
}
