/** `make soak`: a real hub under constant churn, for an hour by default; no resource may grow. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildToolbox } from './build-tools.ts';
import { stopAllChildren } from './child.ts';
import { startHub } from './hub.ts';
import { describeMachine } from './machine.ts';
import { type Panel, svgPlot } from './report/svg-plot.ts';
import { asMarkdown, asText, type Table } from './report/table.ts';
import { startChurn } from './soak/churn.ts';
import { type Holding, processNames, type Sample, takeSample } from './soak/sample.ts';
import { type Growth, growths } from './soak/verdict.ts';

const root = join(import.meta.dir, '../..');
const everyMs = 5000;
const mebibyte = 1024 * 1024;
const maxMinutes = 24 * 60;
/** A few failures of the churn itself are enough to identify the cause. */
const shownFailures = 10;

interface SoakResult {
  readonly minutes: number;
  readonly samples: readonly Sample[];
  readonly counts: Readonly<Record<string, number>>;
  readonly failures: readonly string[];
  readonly growth: readonly Growth[];
  readonly machine: string;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { minutes: { type: 'string', default: '60' }, name: { type: 'string', default: 'soak' } },
  });
  const minutes = Number(values.minutes);
  if (!(minutes >= 1 && minutes <= maxMinutes)) throw new Error(`--minutes is a number from 1 to ${maxMinutes}`);
  if (!/^[a-z0-9][a-z0-9.-]*$/i.test(values.name)) throw new Error(`--name: "${values.name}" is no file name`);
  const result = await soak(minutes);
  console.log(`\n${asText(countTable(result))}\n\n${asText(growthTable(result))}`);
  console.log(`\nwritten: ${write(values.name, result)}`);
  const hasGrown = result.growth.some(({ isFlat }) => !isFlat);
  return hasGrown || result.failures.length > 0 ? 1 : 0;
}

async function soak(minutes: number): Promise<SoakResult> {
  const toolbox = await buildToolbox(join(root, 'build/bench'));
  const hub = await startHub();
  try {
    const seconds = minutes * 60;
    const churn = await startChurn(toolbox, hub, seconds + 60);
    const samples: Sample[] = [];
    const started = performance.now();
    for (let at = 0; at <= seconds * 1000; at += everyMs) {
      await Bun.sleep(Math.max(0, started + at - performance.now()));
      const sample = takeSample(hub, Math.round(at / 1000));
      samples.push(sample);
      if (at % 60_000 === 0) console.log(`  ${at / 60_000} min: ${lineOf(sample)}`);
    }
    await churn.stop();
    const { counts, failures } = churn;
    return { minutes, samples, counts, failures, growth: growths(samples), machine: await describeMachine() };
  } finally {
    await hub.stop();
  }
}

function lineOf({ holdings, zombies }: Sample): string {
  const parts = processNames.map((name) => {
    const { memoryBytes, descriptors, threads } = holdings[name];
    return `${name} ${(memoryBytes / mebibyte).toFixed(0)} MB, ${descriptors} descriptors, ${threads} threads`;
  });
  return `${parts.join('; ')}; ${zombies} zombies`;
}

function growthTable({ growth }: SoakResult): Table {
  const rows = growth.map(({ what, early, late, limit, isFlat }) => [
    isFlat ? 'FLAT' : 'GROWS',
    what,
    ...[early, late, limit].map((figure) => figure.toFixed(0)),
  ]);
  return { head: ['', 'lowest of', 'second quarter', 'last quarter', 'at most'], words: 2, rows };
}

function countTable({ counts, failures }: SoakResult): Table {
  const rows = Object.entries(counts).map(([kind, count]) => [kind, String(count)]);
  return { head: ['came and went', 'times'], words: 1, rows: [...rows, ['failed', String(failures.length)]] };
}

/** Returns the path of the Markdown. */
function write(name: string, result: SoakResult): string {
  const folder = join(import.meta.dir, 'results');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, `${name}.svg`),
    svgPlot('What a hub holds while everything comes and goes', panels(result)),
  );
  const failures = result.failures.slice(0, shownFailures).map((text) => `- ${text}`);
  const sections = [
    `# Soak: ${name}`,
    `${result.machine}. ${result.minutes} minutes. What it is: [README](../README.md).`,
    `![Memory, descriptors and threads over time](${name}.svg)`,
    asMarkdown(growthTable(result)),
    asMarkdown(countTable(result)),
    ...(failures.length > 0 ? [`Failed, among others:\n\n${failures.join('\n')}`] : []),
  ];
  const file = join(folder, `${name}.md`);
  writeFileSync(file, `${sections.join('\n\n')}\n`);
  return file;
}

function panels({ samples }: SoakResult): Panel[] {
  const panel = (title: string, yLabel: string, figure: (holding: Holding) => number): Panel => ({
    title,
    xLabel: 'seconds',
    yLabel,
    isLogarithmic: false,
    lines: processNames.map((name) => ({
      label: name,
      isOurs: name === 'engine',
      points: samples.map(({ second, holdings }) => ({ x: second, y: figure(holdings[name]) })),
    })),
  });
  return [
    panel('Memory (RSS)', 'MB', ({ memoryBytes }) => memoryBytes / mebibyte),
    panel('Descriptors', 'open', ({ descriptors }) => descriptors),
    panel('Threads', 'threads', ({ threads }) => threads),
  ];
}

async function end(code: number): Promise<never> {
  await stopAllChildren();
  process.exit(code);
}

process.on('SIGINT', () => void end(130));
process.on('SIGTERM', () => void end(143));
try {
  await end(await main());
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  await end(2);
}
