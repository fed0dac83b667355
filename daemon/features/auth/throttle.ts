import { HubError } from '../../lib/hub-error.ts';
import { createBoundedTable } from './bounded-table.ts';

interface ThrottleOptions {
  /** Failures without a delay. */
  readonly freeFailures: number;
  /** Delay of the attempt after those; doubles with each further failure. */
  readonly firstDelayMs: number;
  readonly longestDelayMs: number;
  /** A key without a failure for this long starts again. */
  readonly forgetAfterMs: number;
  /** Attempts per key that may wait at a time. */
  readonly longestQueue: number;
  /** An attempt whose delay, including those of the attempts ahead of it, would exceed this is refused. */
  readonly longestWaitMs: number;
  /** Maximum number of keys. Those with few failures are forgotten first. */
  readonly maxKeys: number;
  /** Whether the key is among those that are forgotten last. */
  readonly isPrecious: (key: string) => boolean;
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
}

/** More than the failures that any key reaches before it is forgotten. */
const preciousWorth = 1e9;

interface Entry {
  failures: number;
  failedAt: number;
  waiting: number;
  /** Total delay of this key so far, in milliseconds. */
  delayed: number;
  /** Resolves when the attempt ahead is over. */
  tail: Promise<void>;
  readonly isPrecious: boolean;
}

/**
 * Attempts of one key run one after another, so that a hundred at once learn no more than a hundred in sequence. A
 * success clears the failures of its key.
 */
export function createThrottle(options: ThrottleOptions) {
  const { forgetAfterMs, now } = options;
  const isForgotten = ({ failedAt }: Entry) => now() - failedAt > forgetAfterMs;
  const entries = createBoundedTable<Entry>({
    max: options.maxKeys,
    worth(entry) {
      if (entry.waiting > 0) return Number.POSITIVE_INFINITY;
      if (isForgotten(entry)) return 0;
      return entry.failures + (entry.isPrecious ? preciousWorth : 0);
    },
  });
  const begin = (key: string): Entry => {
    const nothing = { failures: 0, failedAt: 0, waiting: 0, delayed: 0 };
    return { ...nothing, tail: Promise.resolve(), isPrecious: options.isPrecious(key) };
  };
  const find = (key: string): Entry => {
    const entry = entries.take(key, () => begin(key));
    if (entry === undefined) throw busy(options.longestDelayMs);
    if (isForgotten(entry)) entry.failures = 0;
    return entry;
  };
  const note = (entry: Entry, isFailure: boolean) => {
    entry.failures = isFailure ? entry.failures + 1 : 0;
    if (isFailure) entry.failedAt = now();
  };
  /** An attempt that is refused here has learned nothing. */
  const pause = async (entry: Entry, delayedBefore: number) => {
    const delay = delayOf(entry, options);
    if (delay === 0) return;
    if (entry.delayed - delayedBefore + delay > options.longestWaitMs) throw busy(delay);
    entry.delayed += delay;
    await options.sleep(delay);
  };

  return {
    /**
     * Runs one attempt of a key after those ahead of it, delayed by earlier failures. `isFailure` tells whether the
     * outcome counts as one. Throws `tryAgain` if too many attempts are waiting.
     */
    async run<T>(key: string, attempt: () => Promise<T>, isFailure: (outcome: T) => boolean): Promise<T> {
      const entry = find(key);
      const expected = delayOf(entry, options) * (entry.waiting + 1);
      if (entry.waiting >= options.longestQueue || expected > options.longestWaitMs) throw busy(expected);
      entry.waiting += 1;
      const delayedBefore = entry.delayed;
      const turn = entry.tail;
      const { promise, resolve: done } = Promise.withResolvers<void>();
      entry.tail = promise;
      try {
        await turn;
        await pause(entry, delayedBefore);
        const outcome = await attempt();
        note(entry, isFailure(outcome));
        return outcome;
      } finally {
        entry.waiting -= 1;
        done();
      }
    },
    /** Counts the outcome of an attempt that did not wait here. */
    count: (key: string, isFailure: boolean): void => note(find(key), isFailure),
    /** Whether the next attempt of this key would have no delay. */
    isFree: (key: string): boolean => delayOf(find(key), options) === 0,
  };
}

function delayOf({ failures }: Entry, { freeFailures, firstDelayMs, longestDelayMs }: ThrottleOptions): number {
  if (failures < freeFailures) return 0;
  return Math.min(longestDelayMs, firstDelayMs * 2 ** (failures - freeFailures));
}

function busy(waitMs: number): HubError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new HubError('tryAgain', `too many sign-in attempts are waiting; try again in ${seconds} s`, {
    params: { 'retry-after': seconds },
  });
}
