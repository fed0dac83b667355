/** Runs one job in its own process group, writes its output to a log, and reads its report. */
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Job, root } from './jobs.ts';
import { countsOf, failuresOf, fileSecondsOf, verdict } from './junit.ts';
import type { Finished } from './report.ts';

export const reports = join(root, 'build/reports');
const shownLog = 20_000;

/** Process groups of running jobs: each may contain a hub, an engine and FFmpeg processes. */
const groups = new Set<number>();

export function endAllJobs(): void {
  for (const group of groups) endGroup(group);
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All processes of the group have ended.
  }
  groups.delete(pid);
}

const slug = (job: Job): string => job.name.replaceAll(/[^a-z0-9]+/gi, '-');

export function logOf(job: Job): string {
  return textOf(join(reports, `${slug(job)}.log`)).slice(-shownLog);
}

export async function runJob(job: Job): Promise<Finished> {
  const report = join(reports, `${slug(job)}.xml`);
  const extra = {
    bun: ['--reporter=junit', `--reporter-outfile=${report}`],
    playwright: ['--reporter=line,junit', `--output=test-results/${slug(job)}`],
    none: [],
  }[job.report];
  const log = openSync(join(reports, `${slug(job)}.log`), 'w');
  const began = performance.now();
  const child = Bun.spawn([...job.command, ...extra], {
    cwd: root,
    env: { ...process.env, PLAYWRIGHT_JUNIT_OUTPUT_FILE: report },
    stdio: ['ignore', log, log],
    detached: true,
  });
  groups.add(child.pid);
  let isOverdue = false;
  const limit = setTimeout(() => {
    isOverdue = true;
    endGroup(child.pid);
  }, job.limitSeconds * 1000);
  const exitCode = await child.exited;
  clearTimeout(limit);
  // Processes that a failed test left running must not disturb other jobs.
  endGroup(child.pid);
  const xml = job.report === 'none' ? '' : textOf(report);
  const counts = verdict(exitCode, countsOf(xml));
  const failures = failuresOf(xml);
  if (counts.failed > failures.length) {
    const message = isOverdue ? `killed at its time limit of ${job.limitSeconds} s` : `exit code ${exitCode}`;
    failures.push({ file: job.name, name: 'the job itself', message });
  }
  const seconds = (performance.now() - began) / 1000;
  return { job, seconds, ...counts, failures, fileSeconds: fileSecondsOf(xml) };
}

/** Returns an empty string if the job ended before it wrote the file. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
