import { describe, expect, test } from 'bun:test';
import { countsOf, sum, verdict } from '../junit.ts';

const bun =
  '<?xml version="1.0"?>\n<testsuites name="bun test" tests="7" assertions="9" failures="2" skipped="1" time="0.1">\n<testsuite tests="7" failures="2"/>';
const playwright = '<testsuites id="" name="" tests="4" failures="1" skipped="0" errors="1" time="3.2">';

describe('counting test runs', () => {
  test('reads what bun test and Playwright write', () => {
    expect(countsOf(bun)).toEqual({ passed: 4, failed: 2, skipped: 1 });
    expect(countsOf(playwright)).toEqual({ passed: 2, failed: 2, skipped: 0 });
  });

  test('a report that was cut off is none', () => {
    expect(countsOf('')).toBeUndefined();
    expect(countsOf('<?xml version="1.0"?>')).toBeUndefined();
  });

  test('a run without a report counts as one by its exit code', () => {
    expect(verdict(0, undefined)).toEqual({ passed: 1, failed: 0, skipped: 0 });
    expect(verdict(1, undefined)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  });

  test('a run that crashed after green tests is not green', () => {
    expect(verdict(134, { passed: 9, failed: 0, skipped: 0 })).toEqual({ passed: 9, failed: 1, skipped: 0 });
    expect(verdict(1, { passed: 8, failed: 2, skipped: 0 })).toEqual({ passed: 8, failed: 2, skipped: 0 });
  });

  test('sums runs', () => {
    expect(sum([countsOf(bun)!, countsOf(playwright)!])).toEqual({ passed: 6, failed: 4, skipped: 1 });
  });
});
