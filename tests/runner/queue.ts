/** Which jobs run at the same time: as many as fill the cores, the longest first. */
import type { Job, Weight } from './jobs.ts';

/** Cores that a job keeps busy on average, measured over whole runs. */
export const cores: Readonly<Record<Weight, number>> = { cpu: 1, browser: 0.8, wait: 0.4 };

/** Longest first, so that no long job begins when all others are done. A job of unknown length counts as long. */
export function longestFirst(jobs: readonly Job[], secondsOf: (job: Job) => number | undefined): Job[] {
  const seconds = (job: Job) => secondsOf(job) ?? Number.POSITIVE_INFINITY;
  // Two of infinite length are equal, and their difference is not a number.
  return jobs.toSorted((a, b) => (seconds(a) === seconds(b) ? 0 : seconds(b) - seconds(a)));
}

/**
 * Runs the jobs in their order, each as soon as there is room for it. A job that does not fit lets smaller ones pass;
 * one always runs, however large it is.
 */
export async function runQueue<T>(
  jobs: readonly Job[],
  room: number,
  run: (job: Job) => Promise<T>,
): Promise<readonly T[]> {
  const waiting = [...jobs];
  const running = new Map<Job, Promise<unknown>>();
  const results: T[] = [];
  const used = () => [...running.keys()].reduce((sum, { weight }) => sum + cores[weight], 0);
  const nextThatFits = () => {
    const free = room - used();
    const at = running.size === 0 ? 0 : waiting.findIndex(({ weight }) => cores[weight] <= free + 1e-9);
    return at < 0 ? undefined : waiting.splice(at, 1)[0];
  };
  while (waiting.length > 0 || running.size > 0) {
    for (let job = nextThatFits(); job !== undefined; job = nextThatFits()) {
      const started = job;
      running.set(
        started,
        run(started).then((result) => {
          results.push(result);
          running.delete(started);
        }),
      );
    }
    await Promise.race(running.values());
  }
  return results;
}
