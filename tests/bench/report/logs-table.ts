import { median } from '../statistics.ts';
import type { LogAnswer, ScrollResult } from './result.ts';
import type { Table } from './table.ts';

const ms = (time: number): string => time.toFixed(1);

export function logTable(answers: readonly LogAnswer[]): Table {
  const rows = answers.map(({ what, ours, plain, grep }) => [
    what,
    ms(median(ours)),
    ms(Math.max(...ours)),
    ms(median(plain)),
    grep === undefined ? '' : ms(median(grep)),
    (median(ours) / median(plain)).toFixed(2),
  ]);
  return { head: ['ms', 'median', 'worst', 'SQLite, no index', 'grep', 'ratio'], words: 1, rows };
}

export function scrollTable({ gaps, longTasks, maxRows, pixels }: ScrollResult): Table {
  const rows = [
    ['frames', String(gaps.length)],
    ['rows passed, about', String(Math.round(pixels / 36))],
    ['rows drawn at once, at most', String(maxRows)],
    ['time from frame to frame, median', `${ms(median(gaps))} ms`],
    ['the same, 99 of 100', `${ms(shareOf(gaps, 0.99))} ms`],
    ['the same, worst', `${ms(Math.max(...gaps))} ms`],
    ['tasks over 50 ms', String(longTasks.length)],
  ];
  return { head: ['', 'figure'], words: 1, rows };
}

/** Returns the given quantile. */
export function shareOf(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
