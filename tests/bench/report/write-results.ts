/** The report as Markdown with a plot beside it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { judge } from './judge.ts';
import type { BenchResult, RowResult } from './result.ts';
import { type Panel, svgPlot } from './svg-plot.ts';
import {
  asMarkdown,
  frozenTable,
  idleTable,
  partsTable,
  rowTable,
  startTable,
  timingTable,
  verdictTable,
} from './table.ts';

const mebibyte = 1024 * 1024;

/** Returns the path of the Markdown. */
export function writeResults(folder: string, name: string, result: BenchResult): string {
  mkdirSync(folder, { recursive: true });
  const plots = panels(result);
  if (plots.length > 0) writeFileSync(join(folder, `${name}.svg`), svgPlot('Signalbox beside its peers', plots));
  const file = join(folder, `${name}.md`);
  writeFileSync(file, markdown(name, result, plots.length > 0));
  return file;
}

function markdown(name: string, result: BenchResult, hasPlot: boolean): string {
  const sections = [
    `# Bench: ${name}`,
    `${result.machine}. The run took ${(result.seconds / 60).toFixed(1)} minutes. How it is measured: [README](../README.md).`,
    ...(hasPlot ? [`![CPU and memory beside the peers](${name}.svg)`] : []),
    ...(result.problems.length > 0 ? ['## Not measured', result.problems.map((text) => `- ${text}`).join('\n')] : []),
    '## Targets',
    asMarkdown(verdictTable(judge(result))),
    ...result.rows.flatMap((row) => [`## ${row.row.title}`, floorText(row), asMarkdown(rowTable(row))]),
    ...(result.rows.length > 0 ? ['## Where our CPU goes', asMarkdown(partsTable(result.rows))] : []),
    ...(result.frozen === undefined
      ? []
      : [`## ${result.frozen.players} RTMP players that stop reading`, asMarkdown(frozenTable(result.frozen))]),
    ...(result.timings.length === 0 ? [] : ['## Times', asMarkdown(timingTable(result.timings))]),
    ...(result.idle === undefined
      ? []
      : ['## At rest', asMarkdown(idleTable(result.idle)), asMarkdown(startTable(result.idle))]),
  ];
  return `${sections.join('\n\n')}\n`;
}

export function floorText({ floorMs }: RowResult): string {
  return floorMs === 0
    ? 'Latency is the whole way from sender to reader.'
    : `Latency is on top of ${floorMs.toFixed(2)} ms, which the protocols took without a relay in the same run.`;
}

function panels({ rows, frozen }: BenchResult): Panel[] {
  const cpu = rows.map(
    ({ row, subjects }): Panel => ({
      title: row.title,
      xLabel: 'n',
      yLabel: 'CPU, % of a core',
      isLogarithmic: true,
      lines: subjects
        .filter(({ points }) => points.length > 0)
        .map(({ label, isOurs, points }) => ({
          label,
          isOurs,
          points: points.map((point) => ({ x: point.readers, y: point.cpu * 100 })),
        })),
    }),
  );
  if (frozen === undefined) return cpu;
  const memory: Panel = {
    title: `${frozen.players} RTMP players that stop reading`,
    xLabel: 'seconds',
    yLabel: 'memory, MB',
    isLogarithmic: false,
    lines: frozen.series.map(({ label, isOurs, samples }) => ({
      label,
      isOurs,
      points: samples.map(({ second, bytes }) => ({ x: second, y: bytes / mebibyte })),
    })),
  };
  return [...cpu, memory];
}
