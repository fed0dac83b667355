/**
 * The jobs of a test run. A job is one process: a tool, one slow test file, or all quick test files of a suite.
 * A slow file is one listed in `tests/durations.json`; `make test-durations` updates it from the last run.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { quickFiles, quickGrep } from './quick.ts';

export const root = join(import.meta.dir, '../..');

/** CPU that a job needs: one core, most of a core (a browser with its hub, encoders), or little because it mostly waits. */
export type Weight = 'cpu' | 'mixed' | 'wait';

export interface Job {
  readonly suite: string;
  /** Unique in a run; the report and the log of the job are named after it. */
  readonly name: string;
  readonly command: readonly string[];
  /** A command without a JUnit report counts as one test. */
  readonly report: 'bun' | 'playwright' | 'none';
  readonly weight: Weight;
  /** Test files, relative to the project root; empty for tools and for the browser tests of the quick suite. */
  readonly files: readonly string[];
  /** The runner kills a job that runs longer. */
  readonly limitSeconds: number;
}

/** Seconds by test file or, for tools, by job. */
export type Durations = Readonly<Record<string, number>>;

export const durationsFile = join(root, 'tests/durations.json');
/** `make test-durations` lists a file that takes at least this long, so it runs in its own process. */
export const slowSeconds = 1.5;

/** A test file that takes longer fails. About three times the slowest file of the suite on two idle cores. */
export const budgetSeconds: Readonly<Record<string, number>> = {
  rules: 20,
  unit: 120,
  fuzz: 60,
  web: 20,
  integration: 240,
  netns: 90,
  guest: 900,
  e2e: 360,
};

/** Runs only when it is named: it emulates a machine, which takes minutes. */
const guestSuite = 'guest';

/** Integration files that take most of a core; the others mostly wait. */
const busyIntegration = new Set(
  ['connection-states', 'dist', 'pairs', 'players', 'streams', 'team', 'secret-search'].map(
    (name) => `tests/integration/${name}.test.ts`,
  ),
);
/** Each starts a runner, a browser and a hub, which takes two seconds; two run at a time on two cores. */
const browserGroups = 6;
/** For a browser test file that has never run. */
const usualSeconds = 10;
const toolLimitSeconds = 180;

const bun = process.execPath;
const tool = [bun, '--bun', 'x'];
/** Bun's default limit of 5 s per test is too short for tests that start processes on a busy machine. */
const bunTest = [bun, 'test', '--timeout=30000', '--only-failures'];

export function readDurations(file: string): Durations {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Durations;
  } catch {
    return {};
  }
}

const byTool = (name: string, command: readonly string[]): Job => ({
  ...{ suite: name, name, command, report: 'none', weight: 'cpu', files: [], limitSeconds: toolLimitSeconds },
});

function filesIn(...patterns: readonly string[]): string[] {
  return patterns.flatMap((pattern) => globSync(pattern, { cwd: root })).toSorted();
}

interface BunSuite {
  readonly suite: string;
  readonly files: readonly string[];
  readonly options?: readonly string[];
  readonly weightOf: (file: string) => Weight;
}

/** Returns one job per slow file, and one for all other files. */
function bunJobs({ suite, files, options = [], weightOf }: BunSuite, slow: Durations): Job[] {
  const budget = budgetSeconds[suite] ?? 0;
  const job = (name: string, own: readonly string[], weight: Weight): Job => ({
    suite,
    name,
    command: [...bunTest, ...options, ...own.map((file) => `./${file}`)],
    report: 'bun',
    weight,
    files: own,
    limitSeconds: 2 * budget + own.length,
  });
  const [alone, together] = [files.filter((file) => file in slow), files.filter((file) => !(file in slow))];
  const rest = together.length > 0 ? [job(`${suite}: ${together.length} quick files`, together, 'cpu')] : [];
  return [...alone.map((file) => job(file, [file], weightOf(file))), ...rest];
}

function browserJob(name: string, files: readonly string[], options: readonly string[]): Job {
  return {
    ...{ suite: 'e2e', name, report: 'playwright', weight: 'mixed', files, limitSeconds: 480 },
    command: [...tool, 'playwright', 'test', '--workers=1', ...files, ...options],
  };
}

function browserJobs(known: Durations): Job[] {
  const groups = evenGroups(filesIn('tests/e2e/*.e2e.ts'), browserGroups, (file) => known[file] ?? usualSeconds);
  return groups.map((files, at) => browserJob(`e2e ${at + 1} of ${groups.length}`, files, []));
}

function quickBrowserJobs(): Job[] {
  return ['1/2', '2/2'].map((shard) =>
    browserJob(`e2e ${shard.replace('/', ' of ')}`, [], [`--shard=${shard}`, '--grep', quickGrep]),
  );
}

/** Puts the files into groups that take about the same time: each goes to the shortest group, the longest file first. */
export function evenGroups(
  files: readonly string[],
  count: number,
  secondsOf: (file: string) => number,
): readonly (readonly string[])[] {
  const groups = Array.from({ length: count }, () => ({ files: [] as string[], seconds: 0 }));
  for (const file of files.toSorted((a, b) => secondsOf(b) - secondsOf(a))) {
    const shortest = groups.reduce((best, group) => (group.seconds < best.seconds ? group : best));
    shortest.files.push(file);
    shortest.seconds += secondsOf(file);
  }
  return groups.map((group) => group.files);
}

const unitFolders = ['daemon', 'native', 'tests/bench', 'tests/runner', 'tests/support'];

function allJobs(slow: Durations, isQuick: boolean): Job[] {
  const always = () => 'cpu' as const;
  const integration = filesIn('tests/integration/*.test.ts').filter((file) => !isQuick || quickFiles.has(file));
  return [
    byTool('style', [...tool, 'biome', 'ci', '--error-on-warnings', '.']),
    byTool('types', [...tool, 'tsc', '--noEmit', '-p', '.']),
    byTool('budget', [bun, 'tests/budget/budget.ts']),
    ...bunJobs({ suite: 'rules', files: filesIn('tests/check/*.test.ts'), weightOf: always }, slow),
    ...bunJobs(
      { suite: 'unit', files: filesIn(...unitFolders.map((folder) => `${folder}/**/*.test.ts`)), weightOf: unitWeight },
      slow,
    ),
    ...bunJobs({ suite: 'fuzz', files: filesIn('tests/fuzz/**/*.test.ts'), weightOf: always }, slow),
    ...bunJobs(
      {
        suite: 'web',
        files: filesIn('web/**/*.test.{ts,tsx}'),
        options: ['--preload', './web/test-setup.ts'],
        weightOf: always,
      },
      slow,
    ),
    ...bunJobs(
      {
        suite: 'integration',
        files: integration,
        weightOf: (file) => (busyIntegration.has(file) ? 'mixed' : 'wait'),
      },
      slow,
    ),
    ...bunJobs({ suite: 'netns', files: filesIn('tests/netns/*.test.ts'), weightOf: () => 'wait' }, slow),
    ...bunJobs({ suite: guestSuite, files: filesIn('tests/guest/*.test.ts'), weightOf: () => 'mixed' }, slow),
    ...(isQuick ? quickBrowserJobs() : browserJobs(slow)),
  ];
}

/** Slow unit tests are slow because they wait for a timeout or a peer. */
function unitWeight(): Weight {
  return 'wait';
}

/** Returns the jobs of the named suites, or of all but the guest. `quick` covers each feature once. Throws for an unknown name. */
export function jobsOf(suites: readonly string[], slow: Durations): Job[] {
  const isQuick = suites.includes('quick');
  const jobs = allJobs(slow, isQuick);
  const names = new Set(jobs.map(({ suite }) => suite));
  const unknown = suites.filter((name) => name !== 'quick' && !names.has(name));
  if (unknown.length > 0) {
    throw new Error(`Unknown suite: ${unknown.join(', ')}. Suites: quick, ${[...names].join(', ')}`);
  }
  const chosen = suites.filter((name) => name !== 'quick');
  return chosen.length === 0
    ? jobs.filter(({ suite }) => suite !== guestSuite)
    : jobs.filter(({ suite }) => chosen.includes(suite));
}
