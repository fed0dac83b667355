/** Counts of a test run, and how to read them from the JUnit file that bun test and Playwright both write. */

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Sums the outermost suites. A file without any is no report of a finished run. */
export function countsOf(xml: string): Counts | undefined {
  const outermost = /<testsuites\b[^>]*>/.exec(xml)?.[0];
  if (!outermost) return undefined;
  const number = (name: string): number => Number(new RegExp(`\\s${name}="(\\d+)"`).exec(outermost)?.[1] ?? 0);
  const failed = number('failures') + number('errors');
  const skipped = number('skipped');
  return { passed: number('tests') - failed - skipped, failed, skipped };
}

/**
 * What a run counts for. A run that ended badly without a failed test (a crash, an error between tests, a time limit)
 * counts as one failure more: it must never look green.
 */
export function verdict(exitCode: number, reported: Counts | undefined): Counts {
  if (!reported) return { passed: exitCode === 0 ? 1 : 0, failed: exitCode === 0 ? 0 : 1, skipped: 0 };
  if (exitCode !== 0 && reported.failed === 0) return { ...reported, failed: 1 };
  return reported;
}

export function sum(all: readonly Counts[]): Counts {
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const { passed, failed, skipped } of all) {
    total.passed += passed;
    total.failed += failed;
    total.skipped += skipped;
  }
  return total;
}
