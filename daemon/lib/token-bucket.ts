/** A rate that several transfers share. */

export interface TokenBucketOptions {
  /** Bytes per second; it may change at any time. Infinity: no limit. */
  readonly rate: () => number;
  /** What may be taken at once after a pause. */
  readonly burstMs: number;
  /** Milliseconds since some time; never goes back. */
  readonly elapsed: () => number;
  readonly wait: (ms: number) => Promise<unknown>;
}

export interface Transfer {
  /** Resolves when these bytes may be sent. Rejects with the signal's reason once it is aborted. */
  take(bytes: number, signal: AbortSignal): Promise<void>;
}

export interface TokenBucket {
  /**
   * Adds a transfer. The oldest one gets as much of the rate as it can use, the next one gets the rest, and so on. So
   * transfers end one after the other, and the work that follows them does not begin at the same time for all.
   */
  add(): Transfer;
}

interface Waiting {
  readonly place: number;
  readonly since: number;
  readonly bytes: number;
  readonly go: () => void;
}

/** While nothing may be sent, the rate is looked at again this often. */
const lookMs = 100;
/** A transfer that has waited this long comes first, because a receiver closes a connection without data. */
const longestWaitMs = 5000;

export function createTokenBucket({ rate, burstMs, elapsed, wait }: TokenBucketOptions): TokenBucket {
  let tokens = 0;
  let filledAt = Number.NEGATIVE_INFINITY;
  let places = 0;
  /** In the order in which they came. */
  const waiting = new Set<Waiting>();
  let isServing = false;

  const fill = (): void => {
    const now = elapsed();
    const perMs = rate() / 1000;
    const most = perMs * burstMs;
    tokens = Math.min(most, tokens + (now - filledAt) * perMs);
    filledAt = now;
  };

  function next(): Waiting | undefined {
    const [longest] = waiting;
    if (longest !== undefined && elapsed() - longest.since >= longestWaitMs) return longest;
    let first = longest;
    for (const one of waiting) if (first !== undefined && one.place < first.place) first = one;
    return first;
  }

  /** A part may be larger than what the bucket holds: it is then paid for by those after it. */
  async function serve(): Promise<void> {
    isServing = true;
    for (let one = next(); one !== undefined; one = next()) {
      if (rate() !== Number.POSITIVE_INFINITY) {
        fill();
        if (tokens <= 0) {
          await wait(Math.min(lookMs, Math.ceil((-tokens / rate()) * 1000) + 1));
          continue;
        }
        tokens -= one.bytes;
      }
      waiting.delete(one);
      one.go();
    }
    isServing = false;
  }

  return {
    add() {
      places += 1;
      const place = places;
      return {
        take: (bytes, signal) =>
          new Promise((resolve, reject) => {
            signal.throwIfAborted();
            const abort = () => {
              waiting.delete(one);
              reject(signal.reason);
            };
            const one: Waiting = {
              ...{ place, since: elapsed(), bytes },
              go() {
                signal.removeEventListener('abort', abort);
                resolve();
              },
            };
            signal.addEventListener('abort', abort, { once: true });
            waiting.add(one);
            if (!isServing) void serve();
          }),
      };
    },
  };
}
