/** The report as Markdown with a plot. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchResult } from './result.ts';
import { sections } from './sections.ts';
import { type Panel, svgPlot } from './svg-plot.ts';
import { asMarkdown } from './table.ts';

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
  const { machine, seconds, from, to } = result;
  const parts = [
    `# Bench: ${name}`,
    `${machine}. It took ${(seconds / 60).toFixed(1)} minutes, ${when(from, to)}. How it is measured: [README](../README.md).`,
    ...(hasPlot ? [`![CPU and memory beside the peers](${name}.svg)`] : []),
    ...sections(result).flatMap(({ title, text, tables = [] }) => [
      `## ${title}`,
      ...(text === undefined ? [] : [text]),
      ...tables.map(asMarkdown),
    ]),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** Suites may have been measured one after the other. */
function when(from: string, to: string): string {
  const minute = (iso: string): string => iso.slice(0, 16).replace('T', ' ');
  return from === to ? `done ${minute(to)} UTC` : `suites done between ${minute(from)} and ${minute(to)} UTC`;
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
