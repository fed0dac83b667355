/** `make bench`: ours beside the peers, in one run. See README.md. */
import { join } from 'node:path';
import { buildToolbox } from './build-tools.ts';
import { stopAllChildren } from './child.ts';
import { compare, type Plan } from './compare.ts';
import { measureFrozen } from './frozen.ts';
import { startHub } from './hub.ts';
import { measureIdle } from './idle.ts';
import { describeMachine } from './machine.ts';
import { help, type Options, readOptions } from './options.ts';
import { missingParts } from './peers-installed.ts';
import { judge } from './report/judge.ts';
import type { BenchResult, FrozenResult, RowResult } from './report/result.ts';
import {
  asText,
  frozenTable,
  idleTable,
  partsTable,
  rowTable,
  startTable,
  timingTable,
  verdictTable,
} from './report/table.ts';
import { floorText, writeResults } from './report/write-results.ts';
import { rows } from './rows.ts';
import { nginxRtmp } from './subjects/nginx-rtmp.ts';
import { signalboxToPlayers } from './subjects/signalbox.ts';
import { removeTempFolders } from './temp-folder.ts';
import { measureCalm } from './times/calm.ts';
import { measureFailover } from './times/failover.ts';
import { measureJoins } from './times/join.ts';
import type { Timing, TimingPlan } from './times/timing.ts';
import type { Toolbox } from './tools.ts';

const root = join(import.meta.dir, '../..');
const minuteMs = 60_000;
const pace = {
  quick: {
    timing: { settleMs: 1000, windowMs: 3000 },
    warmUpMs: 4500,
    frozenSeconds: 36,
    starts: 3,
    softMinutes: 6,
    hardMinutes: 9,
  },
  full: {
    timing: { settleMs: 3000, windowMs: 7000 },
    warmUpMs: 8000,
    frozenSeconds: 60,
    starts: 3,
    softMinutes: 25,
    hardMinutes: 32,
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
  const started = performance.now();
  const { timing, warmUpMs, frozenSeconds, starts, softMinutes, hardMinutes } = options.isQuick
    ? pace.quick
    : pace.full;
  // Nothing here waits forever, but a machine under load could add up.
  setTimeout(() => void abort(`not done after ${hardMinutes} minutes`, 2), hardMinutes * minuteMs).unref();
  console.log('building the tools and the source clip');
  const toolbox = await buildToolbox(join(root, 'build/bench'));
  const problems: string[] = [];
  const onProblem = (text: string): void => {
    problems.push(firstLine(text));
    console.error(`  not measured: ${text}`);
  };
  const plan: Plan = {
    toolbox,
    timing,
    warmUpMs,
    readers: options.readers,
    repeat: options.repeat,
    isQuick: options.isQuick,
    softEnd: started + softMinutes * minuteMs,
    say: (line) => console.log(line),
    onProblem,
  };
  const idle = options.only.includes('idle')
    ? await guarded('at rest', onProblem, () => measureIdle(starts))
    : undefined;
  const results: RowResult[] = [];
  for (const row of rows.filter(({ group }) => options.only.includes(group))) {
    const result = await guarded(row.title, onProblem, () => compare(row, plan));
    if (result !== undefined) results.push(result);
  }
  const timings = await measureTimes(options, { toolbox, onProblem });
  const frozen = options.only.includes('frozen')
    ? await guarded('frozen players', onProblem, () => runFrozen(toolbox, frozenSeconds))
    : undefined;
  const seconds = (performance.now() - started) / 1000;
  const machine = await describeMachine();
  return {
    rows: results,
    ...(frozen === undefined ? {} : { frozen }),
    ...(idle === undefined ? {} : { idle }),
    timings,
    problems,
    seconds,
    machine,
  };
}

async function measureTimes(
  { only, isQuick }: Options,
  { toolbox, onProblem }: { toolbox: Toolbox; onProblem: (text: string) => void },
): Promise<Timing[]> {
  const kinds = { join: measureJoins, calm: measureCalm, failover: measureFailover } as const;
  const plan: TimingPlan = { attempts: isQuick ? 2 : 5, onProblem };
  const timings: Timing[] = [];
  for (const kind of ['join', 'calm', 'failover'] as const) {
    if (!only.includes(kind)) continue;
    const measured = await guarded(kind, onProblem, async () => {
      const hub = await startHub();
      try {
        return await kinds[kind](toolbox, hub, plan);
      } finally {
        await hub.stop();
      }
    });
    timings.push(...(measured ?? []));
  }
  return timings;
}

async function guarded<T>(
  what: string,
  onProblem: (text: string) => void,
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    onProblem(`${what}: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

async function runFrozen(toolbox: Toolbox, seconds: number): Promise<FrozenResult> {
  const hub = await startHub();
  try {
    const ours = signalboxToPlayers(() => Promise.resolve(hub), 'rtmp');
    return await measureFrozen(toolbox, [ours, nginxRtmp], seconds, ours.id);
  } finally {
    await hub.stop();
  }
}

/** One line is enough for the list; the whole was printed when it happened. */
const firstLine = (text: string): string => text.split('\n')[0] ?? text;

function printResult(result: BenchResult): void {
  const section = (title: string, body: string): void => console.log(`\n${title}\n${body}`);
  console.log(`\n${result.machine}`);
  for (const row of result.rows) section(`${row.row.title}. ${floorText(row)}`, asText(rowTable(row)));
  if (result.rows.length > 0) section('Where our CPU goes', asText(partsTable(result.rows)));
  if (result.frozen !== undefined) section('RTMP players that stop reading', asText(frozenTable(result.frozen)));
  if (result.idle !== undefined)
    section('At rest', `${asText(idleTable(result.idle))}\n${asText(startTable(result.idle))}`);
  if (result.timings.length > 0) section('Times', asText(timingTable(result.timings)));
  if (result.problems.length > 0) section('Not measured', result.problems.map((text) => `  ${text}`).join('\n'));
  section(`Targets (${(result.seconds / 60).toFixed(1)} minutes)`, asText(verdictTable(judge(result))));
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
