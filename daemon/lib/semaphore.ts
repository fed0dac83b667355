import { HubError } from './hub-error.ts';

interface SemaphoreOptions {
  readonly atOnce: number;
  /** Maximum number of waiting tasks; the next one is refused with `tryAgain`. */
  readonly longestLine: number;
}

/** Limits the number of concurrent tasks; the others wait in line. */
export function createSemaphore({ atOnce, longestLine }: SemaphoreOptions): <T>(work: () => Promise<T>) => Promise<T> {
  const line: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running < atOnce) running += 1;
    else if (line.length >= longestLine)
      throw new HubError('tryAgain', 'too many requests are waiting', { params: { 'retry-after': 1 } });
    // The first task in line takes the place of a finished one.
    else await new Promise<void>((enter) => line.push(enter));
    try {
      return await work();
    } finally {
      const next = line.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
