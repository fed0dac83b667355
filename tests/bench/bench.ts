/** `make bench`: compares Signalbox with other servers in one run. See README.md. */
import { join } from 'node:path';
import { buildToolbox } from './build-tools.ts';
import { stopAllChildren } from './child.ts';
import { describeMachine } from './machine.ts';
import { help, type Options, type RowId, readOptions } from './options.ts';
import { missingParts } from './peers-installed.ts';
import { loadPieces, savePieces } from './pieces.ts';
import { judge } from './report/judge.ts';
import { type BenchResult, type Piece, together } from './report/result.ts';
import { sections } from './report/sections.ts';
import { asText } from './report/table.ts';
import { writeResults } from './report/write-results.ts';
import { type Pace, type SuiteContext, suites } from './suites.ts';
import { removeTempFolders } from './temp-folder.ts';

const root = join(import.meta.dir, '../..');
const buildFolder = join(root, 'build/bench');
const minuteMs = 60_000;
const paces = {
  quick: {
    timing: { settleMs: 1000, windowMs: 3000 },
    warmUpMs: 4500,
    frozenSeconds: 36,
    starts: 3,
    attempts: 2,
    softMinutes: 10,
    hardMinutes: 15,
  },
  full: {
    timing: { settleMs: 3000, windowMs: 7000 },
    warmUpMs: 8000,
    frozenSeconds: 60,
    starts: 3,
    attempts: 5,
    softMinutes: 33,
    hardMinutes: 42,
  },
} as const;

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  if (options.isHelp) {
    console.log(help);
    return 0;
  }
  const missing = missingParts(options.only);
  if (missing !== undefined) throw new Error(missing);
  const result = await runBench(options);
  printResult(result);
  console.log(`\nwritten: ${writeResults(join(import.meta.dir, 'results'), options.name, result)}`);
  if (result.problems.length > 0) return 2;
  return judge(result).some(({ outcome }) => outcome === 'fail') ? 1 : 0;
}

async function runBench(options: Options): Promise<BenchResult> {
  const { softMinutes, hardMinutes, ...pace } = options.isQuick ? paces.quick : paces.full;
  const softEnd = performance.now() + softMinutes * minuteMs;
  // No step waits forever, but on a machine under load the times could add up.
  setTimeout(() => void abort(`not done after ${hardMinutes} minutes`, 2), hardMinutes * minuteMs).unref();
  const machine = await describeMachine();
  const kept = options.isAdded ? loadPieces(buildFolder, options.name, machine) : [];
  console.log('building the tools and the source clip');
  const toolbox = await buildToolbox(buildFolder);
  const measured: Piece[] = [];
  const pieces = (): Piece[] => [...kept.filter(({ suite }) => !options.only.includes(suite)), ...measured];
  for (const suite of options.only) {
    measured.push(await runSuite(suite, { toolbox, softEnd, pace, options }));
    savePieces(buildFolder, options.name, { machine, pieces: pieces() });
  }
  return together(pieces(), machine);
}

interface Run extends Pick<SuiteContext, 'toolbox' | 'softEnd'> {
  readonly pace: Pace;
  readonly options: Options;
}

/** A suite that cannot be measured is reported and does not stop the others. */
async function runSuite(suite: RowId, { options, ...run }: Run): Promise<Piece> {
  const started = performance.now();
  const problems: string[] = [];
  const onProblem = (text: string): void => {
    problems.push(firstLine(text));
    console.error(`  not measured: ${text}`);
  };
  const { readers, repeat, isQuick } = options;
  const context = { ...run, readers, repeat, isQuick, onProblem, say: (line: string) => console.log(line) };
  let findings = {};
  try {
    findings = await suites[suite](context);
  } catch (error) {
    onProblem(`${suite}: ${error instanceof Error ? error.message : String(error)}`);
  }
  const seconds = (performance.now() - started) / 1000;
  console.log(`  ${suite}: ${seconds.toFixed(0)} s`);
  return { suite, findings, problems, at: new Date().toISOString(), seconds };
}

/** One line is enough for the list; the full text was printed when it happened. */
const firstLine = (text: string): string => text.split('\n')[0] ?? text;

function printResult(result: BenchResult): void {
  console.log(`\n${result.machine}`);
  // The most important section comes last, at the end of the terminal output.
  const [targets, ...others] = sections(result);
  for (const section of [...others, ...(targets ? [targets] : [])]) {
    const { title, text, tables = [] } = section;
    console.log(['', title, ...(text === undefined ? [] : [text]), ...tables.map(asText)].join('\n'));
  }
}

let isAborting = false;
async function abort(why: string, code: number): Promise<void> {
  if (isAborting) return;
  isAborting = true;
  console.error(`\n${why}: stopping what was started`);
  await stopAllChildren();
  removeTempFolders();
  process.exit(code);
}

process.on('SIGINT', () => void abort('interrupted', 130));
process.on('SIGTERM', () => void abort('ended from outside', 143));
try {
  const code = await main();
  await stopAllChildren();
  removeTempFolders();
  process.exit(code);
} catch (error) {
  await abort(error instanceof Error ? error.message : String(error), 2);
}
