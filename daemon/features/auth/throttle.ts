import { HubError } from '../../lib/hub-error.ts';

interface ThrottleOptions {
  /** Failures that cost nothing yet. */
  readonly freeFailures: number;
  /** Wait before the attempt after those; doubles with each further failure. */
  readonly firstDelayMs: number;
  readonly longestDelayMs: number;
  /** A key without a failure for so long starts anew. */
  readonly forgetAfterMs: number;
  /** Attempts of one key that may wait at a time. */
  readonly longestQueue: number;
  /** Keys remembered at a time. */
  readonly mostKeys: number;
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
}

interface Entry {
  failures: number;
  failedAt: number;
  waiting: number;
  /** Resolves when the attempt in front is over. */
  tail: Promise<void>;
}

export interface Throttle {
  /**
   * Runs one attempt of a key after those in front of it, later with every failure. `isFailure` says of the outcome
   * whether it counts. Refuses with `tryAgain` when too many wait already.
   */
  run<T>(key: string, attempt: () => Promise<T>, isFailure: (outcome: T) => boolean): Promise<T>;
}

/**
 * Attempts of one key run one after another, so that a hundred at once learn no more than a hundred in a row. A success
 * forgives the failures of its key.
 */
export function createThrottle(options: ThrottleOptions): Throttle {
  const entries = new Map<string, Entry>();

  const find = (key: string): Entry => {
    const entry = entries.get(key) ?? { failures: 0, failedAt: 0, waiting: 0, tail: Promise.resolve() };
    entries.delete(key);
    if (entries.size >= options.mostKeys && !forgetOldest(entries)) throw busy(options.longestDelayMs);
    entries.set(key, entry);
    if (options.now() - entry.failedAt > options.forgetAfterMs) entry.failures = 0;
    return entry;
  };

  return {
    async run(key, attempt, isFailure) {
      const entry = find(key);
      if (entry.waiting >= options.longestQueue) throw busy(delayOf(entry, options) * options.longestQueue);
      entry.waiting += 1;
      const turn = entry.tail;
      const { promise, resolve: done } = Promise.withResolvers<void>();
      entry.tail = promise;
      try {
        await turn;
        const delay = delayOf(entry, options);
        if (delay > 0) await options.sleep(delay);
        const outcome = await attempt();
        if (isFailure(outcome)) {
          entry.failures += 1;
          entry.failedAt = options.now();
        } else {
          entry.failures = 0;
        }
        return outcome;
      } finally {
        entry.waiting -= 1;
        done();
      }
    },
  };
}

function delayOf({ failures }: Entry, { freeFailures, firstDelayMs, longestDelayMs }: ThrottleOptions): number {
  if (failures < freeFailures) return 0;
  return Math.min(longestDelayMs, firstDelayMs * 2 ** (failures - freeFailures));
}

/** The map keeps the order of use: the first one that nobody waits at is the one that matters least. */
function forgetOldest(entries: Map<string, Entry>): boolean {
  for (const [key, entry] of entries) {
    if (entry.waiting > 0) continue;
    entries.delete(key);
    return true;
  }
  return false;
}

function busy(waitMs: number): HubError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new HubError('tryAgain', `too many sign-ins wait; try again in ${seconds} s`, {
    params: { 'retry-after': seconds },
  });
}
