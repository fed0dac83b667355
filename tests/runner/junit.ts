/** Counts and failures of a test run, read from the JUnit file that bun test and Playwright both write. */

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Returns the totals of the report, or undefined if it has none because the run did not finish. */
export function countsOf(xml: string): Counts | undefined {
  const outermost = /<testsuites\b[^>]*>/.exec(xml)?.[0];
  if (!outermost) return undefined;
  const number = (name: string): number => Number(new RegExp(`\\s${name}="(\\d+)"`).exec(outermost)?.[1] ?? 0);
  const failed = number('failures') + number('errors');
  const skipped = number('skipped');
  return { passed: number('tests') - failed - skipped, failed, skipped };
}

export interface Failure {
  readonly file: string;
  readonly name: string;
  /** The expected and the received value, or any other message of the test runner. */
  readonly message: string;
}

/** An empty testcase is a self-closing element; its `/` must not be read as part of the attributes. */
const testcase = /<testcase\b((?:"[^"]*"|[^>"])*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g;

export function failuresOf(xml: string): Failure[] {
  const found: Failure[] = [];
  for (const [, attributes = '', inside = ''] of xml.matchAll(testcase)) {
    const fault = /<(?:failure|error)\b((?:"[^"]*"|[^>"])*)>/.exec(inside)?.[1];
    if (fault === undefined) continue;
    const file = attribute(attributes, 'file') || attribute(attributes, 'classname');
    found.push({ file, name: attribute(attributes, 'name'), message: attribute(fault, 'message') });
  }
  return found;
}

/** Matches each `<testsuite>` of a file by its indentation; nested ones are groups within the file. */
const suite = /^ {0,2}<testsuite\b((?:"[^"]*"|[^>"])*)>/gm;

/** Returns seconds by test file. bun test names files relative to the project root, Playwright to its test folder. */
export function fileSecondsOf(xml: string): Record<string, number> {
  const seconds: Record<string, number> = {};
  for (const [, attributes = ''] of xml.matchAll(suite)) {
    const name = attribute(attributes, 'name');
    const file = name.endsWith('.e2e.ts') ? `tests/e2e/${name}` : name;
    seconds[file] = (seconds[file] ?? 0) + Number(attribute(attributes, 'time'));
  }
  return seconds;
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&', '#10': '\n' };

function attribute(text: string, name: string): string {
  const value = new RegExp(`\\s${name}="([^"]*)"`).exec(text)?.[1] ?? '';
  return value.replace(/&(#?\w+);/g, (whole, entity: string) => entities[entity] ?? whole);
}

/**
 * Returns the counts of a run. A run that exits with an error but reports no failed test (after a crash, an error
 * between tests, or a time limit) counts as one failure, so that it never passes.
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
