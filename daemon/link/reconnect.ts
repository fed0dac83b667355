/** When a device dials again. Random times of the whole range keep a fleet from returning all at once. */

export interface ReconnectTiming {
  /** The first retry is after a random time up to this; doubles up to `lastRetryMs`. */
  readonly firstRetryMs: number;
  readonly lastRetryMs: number;
  /** A link that was up for this long clears the failures before it. */
  readonly goodMs: number;
  /** A refused or deleted device tries again after a random time between these. */
  readonly refusedLeastMs: number;
  readonly refusedMostMs: number;
}

export type Outcome =
  /** The link broke, or there was none. */
  | { readonly kind: 'lost'; readonly upMs: number }
  /** The hub asked to reconnect within this time. */
  | { readonly kind: 'spread'; readonly spreadMs: number }
  /** Another link of the same identity took the place of this one: two devices would otherwise do so in turn. */
  | { readonly kind: 'replaced' }
  | { readonly kind: 'refused' };

export function createReconnect(timing: ReconnectTiming, random: () => number = Math.random) {
  const { firstRetryMs, lastRetryMs, goodMs, refusedLeastMs, refusedMostMs } = timing;
  const maxDoublings = Math.ceil(Math.log2(lastRetryMs / firstRetryMs));
  let failures = 0;
  let spreadMs = 0;
  return {
    /** The spread of the last WELCOME: after a working link breaks, that of the fleet counts. */
    setSpread(ms: number): void {
      spreadMs = ms;
    },
    /** Returns the time to wait, in milliseconds. */
    delayAfter(outcome: Outcome): number {
      if (outcome.kind === 'refused') return refusedLeastMs + random() * (refusedMostMs - refusedLeastMs);
      if (outcome.kind === 'spread') return random() * Math.max(firstRetryMs, outcome.spreadMs);
      if (outcome.kind === 'replaced') return random() * lastRetryMs;
      if (outcome.upMs >= goodMs) failures = 0;
      const doubled = Math.min(lastRetryMs, firstRetryMs * 2 ** Math.min(failures, maxDoublings));
      failures += 1;
      return random() * (outcome.upMs > 0 ? Math.max(doubled, spreadMs) : doubled);
    },
  };
}
