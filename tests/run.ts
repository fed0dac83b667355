/**
 * Runs the tests and prints one table: `bun tests/run.ts [suite...]`. `quick` selects tests that cover each feature
 * once. Test files run as jobs of one queue that keeps the cores busy; reports and logs go to build/reports.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { machineBusySeconds } from './bench/proc.ts';
import { untilCoresIdle } from './runner/idle-cores.ts';
import { budgetSeconds, durationsFile, type Job, jobsOf, readDurations, root } from './runner/jobs.ts';
import { sum } from './runner/junit.ts';
import { longestFirst, runQueue } from './runner/queue.ts';
import {
  failureText,
  fileSecondsOf,
  overBudget,
  progressLine,
  slowestFiles,
  suiteRows,
  table,
} from './runner/report.ts';
import { endAllJobs, logOf, reports, runJob } from './runner/run-job.ts';
import { bundleProgram, mainProgramName } from './support/main-program.ts';

const lastRun = join(root, 'build/durations.json');

function jobsOrExit(suites: readonly string[]): Job[] {
  try {
    return jobsOf(suites, readDurations(durationsFile));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(2);
  }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    endAllJobs();
    process.exit(130);
  });
}

// The browser tests start hubs, too.
process.env[mainProgramName] = await bundleProgram();

const known = { ...readDurations(durationsFile), ...readDurations(lastRun) };
const secondsOf = ({ name, files }: Job): number | undefined => {
  // The files of a job change from run to run, so its name is only for tools.
  const own = files.reduce((all, file) => all + (known[file] ?? Number.NaN), 0);
  return files.length === 0 || Number.isNaN(own) ? known[name] : own;
};
const jobs = longestFirst(jobsOrExit(process.argv.slice(2)), secondsOf);
rmSync(reports, { recursive: true, force: true });
mkdirSync(reports, { recursive: true });

const [began, busy] = [performance.now(), machineBusySeconds()];
let done = 0;
const cores = availableParallelism();
const room = { cores, untilIdle: () => untilCoresIdle(cores, machineBusySeconds) };
const finished = await runQueue(jobs, room, async (job) => {
  const result = await runJob(job);
  done++;
  console.log(progressLine(result, done, jobs.length));
  if (result.failed > 0) console.log(logOf(job));
  return result;
});
const wall = (performance.now() - began) / 1000;
const load = (machineBusySeconds() - busy) / (wall * cores);

const late = overBudget(finished, budgetSeconds);
const measured = Object.fromEntries(fileSecondsOf(finished));
for (const { job, seconds } of finished) measured[job.name] ??= seconds;
writeFileSync(lastRun, `${JSON.stringify({ ...known, ...measured }, undefined, 2)}\n`);

const counted = sum(finished);
const total = { ...counted, failed: counted.failed + late.length };
console.log(`\n${table([...suiteRows(finished), { name: 'all', seconds: wall, ...total }])}`);
console.log(`\n${Math.round(wall)} s with the cores ${Math.round(load * 100)} % busy. ${slowestFiles(finished)}`);
const failures = finished.flatMap(({ job, failures: own }) => own.map((failure) => ({ suite: job.suite, failure })));
if (total.failed > 0) console.log(`\n${failureText([...failures, ...late])}`);
const closing = `${total.passed} passed, ${total.failed} failed`;
writeFileSync(join(reports, 'total'), `${closing}\n`);
console.log(`\n${closing}`);
process.exit(total.failed === 0 ? 0 : 1);
