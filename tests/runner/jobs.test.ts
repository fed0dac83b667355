import { expect, test } from 'bun:test';
import { evenGroups, jobsOf } from './jobs.ts';

test('files are put into groups that take about the same time', () => {
  const seconds: Record<string, number> = { a: 10, b: 6, c: 5, d: 4, e: 3 };
  expect(evenGroups(Object.keys(seconds), 2, (file) => seconds[file] ?? 0)).toEqual([
    ['a', 'd'],
    ['b', 'c', 'e'],
  ]);
});

test('every browser test file is in one job', () => {
  const files = jobsOf(['e2e'], {}).flatMap((job) => job.files);
  expect(files).toContain('tests/e2e/sign-in.e2e.ts');
  expect(new Set(files).size).toBe(files.length);
});

test('the suite that emulates a machine runs only when it is named', () => {
  const files = (suites: readonly string[]) => jobsOf(suites, {}).flatMap((job) => job.files);
  expect(files([])).not.toContain('tests/guest/wifi.test.ts');
  expect(files(['quick'])).not.toContain('tests/guest/wifi.test.ts');
  expect(files(['guest'])).toEqual(['tests/guest/wifi.test.ts']);
});
