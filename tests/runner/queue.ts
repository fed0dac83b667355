/** Runs as many jobs in parallel as the cores allow, the longest first. */
import type { Job, Weight } from './jobs.ts';

/**
 * Cores that a job keeps busy. Browser tests take 0.85 on a slow machine, with pauses that a job that mostly waits can
 * use; at 0.7, two of them leave room for two of those.
 */
export const cores: Readonly<Record<Weight, number>> = { cpu: 1, mixed: 0.7, wait: 0.3 };

/** Each job may hold a hub, an engine and encoders in memory. */
const maxRunningPerCore = 5;

/** Sorts the longest first, so that no long job starts last and runs alone. A job of unknown length counts as long. */
export function longestFirst(jobs: readonly Job[], secondsOf: (job: Job) => number | undefined): Job[] {
  const seconds = (job: Job) => secondsOf(job) ?? Number.POSITIVE_INFINITY;
  // Two unknown lengths are both infinite; their difference would be NaN.
  return jobs.toSorted((a, b) => (seconds(a) === seconds(b) ? 0 : seconds(b) - seconds(a)));
}

export interface Room {
  /** Cores of the machine. */
  readonly cores: number;
  /** Resolves when the cores have been idle for a while, although the running jobs should keep them busy. */
  readonly untilIdle: () => Promise<void>;
}

/**
 * Starts the jobs in order, each as soon as enough cores are free. Smaller jobs overtake one that does not fit; at
 * least one job always runs, however large it is. How busy a job keeps a core depends on the machine and on the
 * moment, so one more starts whenever the cores are idle: one of those that mostly wait, as long as there are any.
 */
export async function runQueue<T>(
  jobs: readonly Job[],
  { cores: room, untilIdle }: Room,
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
  const start = (job: Job) => {
    running.set(
      job,
      run(job).then((result) => {
        results.push(result);
        running.delete(job);
      }),
    );
  };
  const startOneMore = () => {
    if (running.size >= maxRunningPerCore * room) return;
    const at = waiting.findIndex(({ weight }) => weight === 'wait');
    const [job] = waiting.splice(Math.max(0, at), 1);
    if (job !== undefined) start(job);
  };
  let idle = untilIdle().then(() => 'idle');
  while (waiting.length > 0 || running.size > 0) {
    for (let job = nextThatFits(); job !== undefined; job = nextThatFits()) start(job);
    if ((await Promise.race([...running.values(), idle])) !== 'idle') continue;
    startOneMore();
    idle = untilIdle().then(() => 'idle');
  }
  return results;
}
