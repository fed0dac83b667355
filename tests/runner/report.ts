/** The output of a test run: a line per job, the slowest files, files over their budget, failures, one table. */
import type { Durations, Job } from './jobs.ts';
import { type Counts, type Failure, sum } from './junit.ts';

export interface Finished extends Counts {
  readonly job: Job;
  readonly seconds: number;
  readonly failures: readonly Failure[];
  readonly fileSeconds: Durations;
}

const shownFailures = 20;
const shownFiles = 15;

/** Returns seconds by file, summed over all jobs because browser shards share files. A tool is listed by its name. */
export function fileSecondsOf(finished: readonly Finished[]): Map<string, number> {
  const seconds = new Map<string, number>();
  for (const { job, fileSeconds, seconds: whole } of finished) {
    const own = job.report === 'none' ? { [job.name]: whole } : fileSeconds;
    for (const [file, time] of Object.entries(own)) seconds.set(file, (seconds.get(file) ?? 0) + time);
  }
  return seconds;
}

/** Returns a failure for each test file that took longer than the budget of its suite. */
export function overBudget(
  finished: readonly Finished[],
  budgetSeconds: Readonly<Record<string, number>>,
): { readonly suite: string; readonly failure: Failure }[] {
  const suites = new Map<string, Finished[]>();
  for (const one of finished) suites.set(one.job.suite, [...(suites.get(one.job.suite) ?? []), one]);
  return [...suites].flatMap(([suite, jobs]) => {
    const budget = budgetSeconds[suite];
    if (budget === undefined) return [];
    return [...fileSecondsOf(jobs)]
      .filter(([, seconds]) => seconds > budget)
      .map(([file, seconds]) => {
        const message = `took ${seconds.toFixed(1)} s; a file of the suite ${suite} may take ${budget} s`;
        return { suite, failure: { file, name: 'time budget', message } };
      });
  });
}

export function progressLine({ job, seconds, passed, failed }: Finished, done: number, all: number): string {
  const outcome = failed > 0 ? `${failed} FAILED` : `${passed} passed`;
  return `[${String(done).padStart(3)}/${all}] ${job.name.padEnd(58)} ${seconds.toFixed(1).padStart(6)} s  ${outcome}`;
}

export function slowestFiles(finished: readonly Finished[]): string {
  const slowest = [...fileSecondsOf(finished)].toSorted(([, a], [, b]) => b - a).slice(0, shownFiles);
  const lines = slowest.map(([file, seconds]) => `${seconds.toFixed(1).padStart(8)} s  ${file}`);
  return ['Slowest files:', ...lines].join('\n');
}

export interface SuiteRow extends Counts {
  readonly name: string;
  readonly seconds: number;
}

/** Jobs of a suite run in parallel, so `seconds` is the sum of their run times, not the elapsed time. */
export function suiteRows(finished: readonly Finished[]): SuiteRow[] {
  const names = [...new Set(finished.map(({ job }) => job.suite))].toSorted();
  return names.map((name) => {
    const own = finished.filter(({ job }) => job.suite === name);
    return { name, ...sum(own), seconds: own.reduce((all, { seconds }) => all + seconds, 0) };
  });
}

export function table(rows: readonly SuiteRow[]): string {
  const head = ['passed', 'failed', 'skipped', 'seconds'].map((word) => word.padStart(9)).join('');
  const lines = rows.map(({ name, passed, failed, skipped, seconds }) => {
    const cells = [String(passed), String(failed), String(skipped), seconds.toFixed(1)];
    return name.padEnd(14) + cells.map((cell) => cell.padStart(9)).join('');
  });
  return [`${'suite'.padEnd(14)}${head}`, ...lines].join('\n');
}

/** The runner prints this last, because the start of a long log has often scrolled away. */
export function failureText(failures: readonly { readonly suite: string; readonly failure: Failure }[]): string {
  return failures
    .slice(0, shownFailures)
    .map(({ suite, failure: { file, name, message } }) => {
      const [first = '', ...rest] = message.split('\n').filter((line) => line.trim() !== '');
      return `failed in ${suite}: ${file}: ${name}\n  ${[first, ...rest.slice(0, 3)].join('\n  ')}`;
    })
    .join('\n\n');
}
