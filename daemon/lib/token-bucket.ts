/** A rate that several transfers share, in turns: each takes a part, then the next one. */

export interface TokenBucketOptions {
  /** Bytes per second; it may change at any time. Infinity: no limit. */
  readonly rate: () => number;
  /** What may be taken at once after a pause. */
  readonly burstMs: number;
  /** Milliseconds since some time; never goes back. */
  readonly elapsed: () => number;
  readonly wait: (ms: number) => Promise<unknown>;
}

export interface TokenBucket {
  /** Resolves when these bytes may be sent. Rejects with the signal's reason once it is aborted. */
  take(bytes: number, signal: AbortSignal): Promise<void>;
}

/** While nothing may be sent, the rate is looked at again this often. */
const lookMs = 100;

export function createTokenBucket({ rate, burstMs, elapsed, wait }: TokenBucketOptions): TokenBucket {
  let tokens = 0;
  let filledAt = Number.NEGATIVE_INFINITY;
  let line: Promise<unknown> = Promise.resolve();

  const fill = (): void => {
    const now = elapsed();
    const perMs = rate() / 1000;
    const most = perMs * burstMs;
    tokens = Math.min(most, tokens + (now - filledAt) * perMs);
    filledAt = now;
  };

  /** A part may be larger than what the bucket holds: it is then paid for by those after it. */
  async function pay(bytes: number, signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      if (rate() === Number.POSITIVE_INFINITY) return;
      fill();
      if (tokens > 0) break;
      await wait(Math.min(lookMs, Math.ceil((-tokens / rate()) * 1000) + 1));
    }
    tokens -= bytes;
  }

  return {
    take(bytes, signal) {
      const paid = line.then(() => pay(bytes, signal));
      line = paid.catch(() => {});
      return paid;
    },
  };
}
