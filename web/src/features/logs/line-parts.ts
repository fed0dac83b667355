/** What the system log shows: the list that was asked for, and on top of it the lines that have come since. */
import type { SystemLogLine } from '../../../../daemon/contract/system-log.ts';
import type { LiveLines } from './live-lines.ts';
import { linesPerPart, matches, type SystemLogPage, type SystemLogQuery } from './system-log-query.ts';

/** The newest first, within each part, too. */
export type LineParts = readonly (readonly SystemLogLine[])[];

/** Lines that were missed between the list and the stream, if any, are known by the stream's begin. */
export function isGap(pages: readonly SystemLogPage[], { since }: LiveLines): boolean {
  const [first] = pages;
  return first !== undefined && since > first.last;
}

/** Lines after the newest one that the list was made with. */
export function newLines(pages: readonly SystemLogPage[], { lines }: LiveLines, query: SystemLogQuery) {
  const [first] = pages;
  if (first === undefined) return [];
  return lines.filter((line) => line.id > first.last && matches(query, line));
}

/** A part that is full stays as it is when more lines come. */
export function partsOf(pages: readonly SystemLogPage[], newer: readonly SystemLogLine[]): LineParts {
  const parts: (readonly SystemLogLine[])[] = [];
  for (let from = 0; from < newer.length; from += linesPerPart) {
    parts.unshift(newer.slice(from, from + linesPerPart).toReversed());
  }
  return [...parts, ...pages.map(({ list }) => list)].filter(({ length }) => length > 0);
}
