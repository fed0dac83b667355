/**
 * Runs every suite and prints one table: `bun tests/run.ts [suite...]`. One after another, because tests measure time and
 * two cores are all we count on; only the integration tests, which mostly wait, run in two lanes. Reports go to
 * build/reports.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Counts, countsOf, type Failure, failuresOf, sum, verdict } from './junit.ts';

interface Suite {
  readonly name: string;
  readonly command: readonly string[];
  /** A command without a JUnit report counts as one test. */
  readonly report: 'bun' | 'playwright' | 'none';
  readonly limitMinutes: number;
  /** Runs at the same time as the suite before it. */
  readonly beside?: true;
}
interface Finished extends Counts {
  readonly name: string;
  readonly seconds: number;
  readonly failures: readonly Failure[];
}

/** Integration tests that wait for what is due, rather than watch how evenly packets flow. */
const patient = [
  ...['alarms', 'connection-states', 'cut-off-network', 'failover-api', 'faults', 'ndi', 'power-cut', 'preview'],
  ...['process-faults', 'pull', 'run-history', 'source-test'],
  ...['hostile-input', 'operation-record', 'route-walk', 'secret-search', 'sign-in-abuse'],
];
const integration = './tests/integration';
function lane(isPatient: boolean): string[] {
  const names = readdirSync(join(import.meta.dir, 'integration')).filter((name) => name.endsWith('.test.ts'));
  const chosen = names.filter((name) => patient.includes(name.replace('.test.ts', '')) === isPatient);
  return chosen.map((name) => `${integration}/${name}`);
}

const mostFailuresShown = 20;
const bun = process.execPath;
/** Bun's own limit of 5 s is too near for what starts processes on a busy machine; files that need more say so. */
const bunTest = [bun, 'test', '--timeout=30000'];
const tool = [bun, '--bun', 'x'];
const suites: readonly Suite[] = [
  { name: 'style', command: [...tool, 'biome', 'ci', '--error-on-warnings', '.'], report: 'none', limitMinutes: 1 },
  { name: 'types', command: [...tool, 'tsc', '--noEmit', '-p', '.'], report: 'none', limitMinutes: 1 },
  { name: 'rules', command: [...bunTest, '--only-failures', './tests/check'], report: 'bun', limitMinutes: 1 },
  {
    name: 'unit',
    command: [...bunTest, '--only-failures', './daemon', './native', './tests/bench'],
    report: 'bun',
    limitMinutes: 5,
  },
  {
    name: 'web',
    command: [...bunTest, '--only-failures', '--preload', './web/test-setup.ts', './web'],
    report: 'bun',
    limitMinutes: 5,
  },
  { name: 'budget', command: [bun, 'tests/budget/budget.ts'], report: 'none', limitMinutes: 2 },
  { name: 'integration', command: [...bunTest, ...lane(false)], report: 'bun', limitMinutes: 15 },
  { name: 'recovery', command: [...bunTest, ...lane(true)], report: 'bun', limitMinutes: 15, beside: true },
  { name: 'e2e', command: [...tool, 'playwright', 'test'], report: 'playwright', limitMinutes: 12 },
];

const root = join(import.meta.dir, '..');
const reports = join(root, 'build/reports');
/** Groups of the suites that run now: each may have started a hub, an engine and FFmpegs. */
const running = new Set<number>();

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group is gone already.
  }
  running.delete(pid);
}

async function runSuite({ name, command, report, limitMinutes }: Suite): Promise<Finished> {
  const file = join(reports, `${name}.xml`);
  const extra = {
    bun: ['--reporter=junit', `--reporter-outfile=${file}`],
    playwright: ['--reporter=line,junit'],
    none: [],
  }[report];
  console.log(`\n── ${name}: ${command.slice(command[1] === '--bun' ? 3 : 1).join(' ')}`);
  const started = performance.now();
  const child = Bun.spawn([...command, ...extra], {
    cwd: root,
    env: { ...process.env, PLAYWRIGHT_JUNIT_OUTPUT_FILE: file },
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
  });
  running.add(child.pid);
  const limit = setTimeout(() => {
    console.error(`${name} took more than ${limitMinutes} minutes and was ended`);
    killGroup(child.pid);
  }, limitMinutes * 60_000);
  const exitCode = await child.exited;
  clearTimeout(limit);
  // What a failed test left behind must not disturb the next suite.
  killGroup(child.pid);
  const seconds = (performance.now() - started) / 1000;
  const xml = report === 'none' ? '' : textOf(file);
  return { name, seconds, ...verdict(exitCode, countsOf(xml)), failures: failuresOf(xml) };
}

/** Empty where the suite ended before it wrote its report. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Last of all, because what a long run printed before is rarely at hand. */
function printFailures(suitesDone: readonly Finished[]): void {
  const all = suitesDone.flatMap(({ name: suite, failures }) => failures.map((failure) => ({ suite, ...failure })));
  for (const { suite, file, name, message } of all.slice(0, mostFailuresShown)) {
    const [first = '', ...rest] = message.split('\n').filter((line) => line.trim() !== '');
    console.log(`\nfailed in ${suite}: ${file}: ${name}\n  ${[first, ...rest.slice(0, 3)].join('\n  ')}`);
  }
}

function printTable(rows: readonly Omit<Finished, 'failures'>[]): void {
  console.log(
    `\n${'suite'.padEnd(14)}${['passed', 'failed', 'skipped', 'seconds'].map((word) => word.padStart(9)).join('')}`,
  );
  for (const { name, passed, failed, skipped, seconds } of rows) {
    const cells = [String(passed), String(failed), String(skipped), seconds.toFixed(1)];
    console.log(name.padEnd(14) + cells.map((cell) => cell.padStart(9)).join(''));
  }
}

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !suites.some((suite) => suite.name === name));
if (unknown.length > 0) {
  console.error(`No such suite: ${unknown.join(', ')}. There are: ${suites.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    for (const pid of running) killGroup(pid);
    process.exit(130);
  });
}

rmSync(reports, { recursive: true, force: true });
mkdirSync(reports, { recursive: true });
const finished: Finished[] = [];
const chosen = suites.filter(({ name }) => asked.length === 0 || asked.includes(name));
for (let at = 0; at < chosen.length; ) {
  const together = chosen.slice(at, at + 1);
  while (chosen[at + together.length]?.beside) together.push(chosen[at + together.length] as Suite);
  finished.push(...(await Promise.all(together.map(runSuite))));
  at += together.length;
}
const total = sum(finished);
printTable([...finished, { name: 'all', seconds: finished.reduce((all, { seconds }) => all + seconds, 0), ...total }]);
printFailures(finished);
const closing = `${total.passed} passed, ${total.failed} failed`;
writeFileSync(join(reports, 'total'), `${closing}\n`);
console.log(`\n${closing}`);
process.exit(total.failed === 0 ? 0 : 1);
