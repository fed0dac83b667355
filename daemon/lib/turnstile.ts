import { HubError } from './hub-error.ts';

interface TurnstileOptions {
  readonly atOnce: number;
  /** How many may wait; the next one is refused with `tryAgain`. */
  readonly longestLine: number;
}

/** Lets so many pieces of work run at a time; the others wait in line. */
export function createTurnstile({ atOnce, longestLine }: TurnstileOptions): <T>(work: () => Promise<T>) => Promise<T> {
  const line: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running < atOnce) running += 1;
    else if (line.length >= longestLine)
      throw new HubError('tryAgain', 'too many wait', { params: { 'retry-after': 1 } });
    // The place of whoever leaves goes to the first in line.
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
