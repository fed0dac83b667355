/** Counts and failures of a test run, read from the JUnit file that bun test and Playwright both write. */

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

export interface Failure {
  readonly file: string;
  readonly name: string;
  /** What was expected and what came, or whatever else the runner says. */
  readonly message: string;
}

/** A testcase without anything inside closes itself; its `/` must not be taken for a part of the attributes. */
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

/** Every `<testsuite>` that stands for a file; inner ones are its groups. */
const suite = /^ {0,2}<testsuite\b((?:"[^"]*"|[^>"])*)>/gm;

/** Seconds by test file. bun test names files from the root of the project, Playwright from its test folder. */
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
