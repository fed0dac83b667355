/** Contents of the system log: the fetched list, and above it the lines received since. */
import type { SystemLogLine } from '../../../../daemon/contract/system-log.ts';
import type { LiveLines } from './live-lines.ts';
import { linesPerPart, matches, type SystemLogPage, type SystemLogQuery } from './system-log-query.ts';

/** Newest first, also within each part. */
type LineParts = readonly (readonly SystemLogLine[])[];

/** Whether lines were missed between the list and the stream, detected by where the stream starts. */
export function isGap(pages: readonly SystemLogPage[], { since }: LiveLines): boolean {
  const [first] = pages;
  return first !== undefined && since > first.last;
}

/** Lines newer than the newest one at the time the list was fetched. */
export function newLines(pages: readonly SystemLogPage[], { lines }: LiveLines, query: SystemLogQuery) {
  const [first] = pages;
  if (first === undefined) return [];
  return lines.filter((line) => line.id > first.last && matches(query, line));
}

/** A full part does not change when more lines arrive. */
export function partsOf(pages: readonly SystemLogPage[], newer: readonly SystemLogLine[]): LineParts {
  const parts: (readonly SystemLogLine[])[] = [];
  for (let from = 0; from < newer.length; from += linesPerPart) {
    parts.unshift(newer.slice(from, from + linesPerPart).toReversed());
  }
  return [...parts, ...pages.map(({ list }) => list)].filter(({ length }) => length > 0);
}
