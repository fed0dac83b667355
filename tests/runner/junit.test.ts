import { describe, expect, test } from 'bun:test';
import { countsOf, failuresOf, sum, verdict } from './junit.ts';

const bun =
  '<?xml version="1.0"?>\n<testsuites name="bun test" tests="7" assertions="9" failures="2" skipped="1" time="0.1">\n<testsuite tests="7" failures="2"/>';
const playwright = '<testsuites id="" name="" tests="4" failures="1" skipped="0" errors="1" time="3.2">';

describe('counting test runs', () => {
  test('reads the reports of bun test and Playwright', () => {
    expect(countsOf(bun)).toEqual({ passed: 4, failed: 2, skipped: 1 });
    expect(countsOf(playwright)).toEqual({ passed: 2, failed: 2, skipped: 0 });
  });

  test('a truncated report counts as missing', () => {
    expect(countsOf('')).toBeUndefined();
    expect(countsOf('<?xml version="1.0"?>')).toBeUndefined();
  });

  test('a run without a report counts as one test, which its exit code passes or fails', () => {
    expect(verdict(0, undefined)).toEqual({ passed: 1, failed: 0, skipped: 0 });
    expect(verdict(1, undefined)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  });

  test('a run that crashes after its tests passed counts as failed', () => {
    expect(verdict(134, { passed: 9, failed: 0, skipped: 0 })).toEqual({ passed: 9, failed: 1, skipped: 0 });
    expect(verdict(1, { passed: 8, failed: 2, skipped: 0 })).toEqual({ passed: 8, failed: 2, skipped: 0 });
  });

  test('lists failed tests with their file and message', () => {
    const report = `<testsuites tests="4" failures="2">
      <testcase name="good / well" classname="" time="0.1" file="a.test.ts" line="1" />
      <testcase name="x &amp; y" classname="" file="a.test.ts"><failure type="A" message="expected &lt;1&gt;&#10;got 2">at a/b</failure></testcase>
      <testcase name="skipped" classname="" file="a.test.ts"><skipped /></testcase>
      <testcase name="slow" classname="b.e2e.ts" time="1"><failure type="TimeoutError" message="timed out" /></testcase>
    </testsuites>`;
    expect(failuresOf(report)).toEqual([
      { file: 'a.test.ts', name: 'x & y', message: 'expected <1>\ngot 2' },
      { file: 'b.e2e.ts', name: 'slow', message: 'timed out' },
    ]);
    expect(failuresOf(bun)).toEqual([]);
  });

  test('adds up the counts of several runs', () => {
    expect(sum([countsOf(bun)!, countsOf(playwright)!])).toEqual({ passed: 6, failed: 4, skipped: 1 });
  });
});
