import { expect, test } from 'bun:test';
import type { Job } from './jobs.ts';
import { fileSecondsOf as fileSecondsOfReport } from './junit.ts';
import { type Finished, failureText, fileSecondsOf, overBudget, suiteRows } from './report.ts';

const finished = (suite: string, fileSeconds: Record<string, number>, rest: Partial<Finished> = {}): Finished => {
  const job: Job = { suite, name: suite, command: [], report: 'bun', weight: 'cpu', files: [], limitSeconds: 1 };
  return { job, seconds: 1, passed: 1, failed: 0, skipped: 0, failures: [], fileSeconds, ...rest };
};

test('the time of a file comes from the reports of both runners; its groups are not counted again', () => {
  const bun = `<testsuites name="bun test" tests="3" time="9.1">
  <testsuite name="tests/check/imports.test.ts" file="tests/check/imports.test.ts" tests="2" time="0.17" hostname="vm">
    <testsuite name="import direction" file="tests/check/imports.test.ts" tests="2" time="0.142">
    </testsuite>
  </testsuite>`;
  expect(fileSecondsOfReport(bun)).toEqual({ 'tests/check/imports.test.ts': 0.17 });
  const playwright = '<testsuites>\n<testsuite name="logs.e2e.ts" tests="4" time="18.5">\n</testsuite>\n</testsuites>';
  expect(fileSecondsOfReport(playwright)).toEqual({ 'tests/e2e/logs.e2e.ts': 18.5 });
});

test('the time of a file that several jobs share is the sum of its parts', () => {
  const jobs = [finished('e2e', { a: 40 }), finished('e2e', { a: 30, b: 10 })];
  expect(fileSecondsOf(jobs)).toEqual(new Map([...Object.entries({ a: 70, b: 10 })]));
  expect(overBudget(jobs, { e2e: 60 })).toEqual([
    {
      suite: 'e2e',
      failure: { file: 'a', name: 'time budget', message: 'took 70.0 s; a file of the suite e2e may take 60 s' },
    },
  ]);
  expect(overBudget(jobs, { e2e: 70 })).toEqual([]);
});

test('the table has a row per suite; each failure shows its test and message', () => {
  const failure = { file: 'x.test.ts', name: 'works', message: '\nexpected 1\n\ngot 2\nat a\nat b\nat c' };
  const jobs = [finished('unit', {}), finished('unit', {}, { passed: 2, failed: 1, failures: [failure] })];
  expect(suiteRows(jobs)).toEqual([{ name: 'unit', passed: 3, failed: 1, skipped: 0, seconds: 2 }]);
  const text = failureText([{ suite: 'unit', failure }]);
  expect(text).toBe('failed in unit: x.test.ts: works\n  expected 1\n  got 2\n  at a\n  at b');
});
