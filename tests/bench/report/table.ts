/** The figures as rows of text: aligned for a terminal, or as Markdown. */
import { median } from '../statistics.ts';
import type { Timing } from '../times/timing.ts';
import { lowest, pointAt, ratioTo, type Verdict } from './judge.ts';
import type { FrozenResult, IdleResult, Point, RowResult } from './result.ts';

export interface Table {
  readonly head: readonly string[];
  /** Text columns; the others hold numbers. */
  readonly words: number;
  readonly rows: readonly (readonly string[])[];
}

const frozenParts = 6;

const megabytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(0);

export function rowTable({ subjects }: RowResult): Table {
  const [ours, ...peers] = subjects;
  const head = [
    '',
    'n',
    'CPU s / stream s',
    'ours is',
    'MB',
    'ours is',
    'added p50 ms',
    'added p99 ms',
    'lost',
    'faults',
    'others %',
  ];
  const rows: string[][] = [];
  for (const readers of [...new Set(subjects.flatMap(({ points }) => points.map((point) => point.readers)))]) {
    const own = ours && pointAt(ours.points, readers);
    if (ours !== undefined && own !== undefined) rows.push([ours.label, ...pointCells(own, undefined)]);
    for (const peer of peers) {
      const point = pointAt(peer.points, readers);
      if (point !== undefined) rows.push([peer.label, ...pointCells(point, own)]);
    }
  }
  return { head, words: 1, rows };
}

/** `own` is set for a peer's line: the ratios compare ours with that peer. */
function pointCells(point: Point, own: Point | undefined): string[] {
  const times = (ratio: number | undefined): string => (ratio === undefined ? '' : `${ratio.toFixed(2)} ×`);
  return [
    String(point.readers),
    point.cpu.toFixed(4),
    times(own && ratioTo(own, point)),
    megabytes(point.pssBytes),
    times(own && own.pssBytes / point.pssBytes),
    point.addedP50Ms.toFixed(2),
    point.addedP99Ms.toFixed(2),
    String(point.lost),
    point.failedReaders > 0 ? `${point.faults} (${point.failedReaders} readers failed)` : String(point.faults),
    (point.othersCpu * 100).toFixed(0),
  ];
}

/** Our CPU time by process. */
export function partsTable(results: readonly RowResult[]): Table {
  const ours = results.flatMap(({ row, subjects }) =>
    subjects
      .filter((each) => each.isOurs)
      .flatMap(({ points }) => points.map((point) => ({ title: row.title, point }))),
  );
  const names = [...new Set(ours.flatMap(({ point }) => Object.keys(point.cpuParts)))];
  const share = (cpu: number | undefined): string => (cpu === undefined ? '' : cpu.toFixed(4));
  const rows = ours.map(({ title, point }) => [
    title,
    String(point.readers),
    ...names.map((name) => share(point.cpuParts[name])),
  ]);
  return { head: ['CPU s / stream s of', 'n', ...names], words: 1, rows };
}

/** The lowest memory in each part of the time, so that uncollected garbage does not look like a queue. */
export function frozenTable({ series }: FrozenResult): Table {
  const last = series[0]?.samples.at(-1)?.second ?? 0;
  const parts = Array.from({ length: frozenParts }, (_, i) => ({
    from: (last * i) / frozenParts,
    to: (last * (i + 1)) / frozenParts,
  }));
  const rows = series.map(({ label, samples, healthyP99Ms, healthyLost }) => [
    label,
    megabytes(lowest(samples, Number.NEGATIVE_INFINITY, 0)),
    ...parts.map(({ from, to }) => megabytes(lowest(samples, from, to))),
    megabytes(Math.max(...samples.map(({ bytes }) => bytes))),
    healthyP99Ms.toFixed(1),
    String(healthyLost),
  ]);
  const head = parts.map(({ from, to }) => `${from.toFixed(0)}-${to.toFixed(0)} s`);
  return { head: ['lowest MB in', 'before', ...head, 'highest', 'other: p99 ms', 'other: lost'], words: 1, rows };
}

export function idleTable(idle: IdleResult): Table {
  const rows = [
    ...idle.processes.map(({ name, rssBytes, pssBytes, ownBytes, cpu }) => [
      name,
      megabytes(rssBytes),
      megabytes(pssBytes),
      megabytes(ownBytes),
      (cpu * 100).toFixed(2),
    ]),
  ];
  return { head: ['', 'RSS MB', 'PSS MB', 'own MB', 'CPU %'], words: 1, rows };
}

/** Start and first loads. */
export function startTable(idle: IdleResult): Table {
  const rows = [
    ['start to ready', `${(idle.startMs / 1000).toFixed(2)} s`],
    ...idle.sizes.map(({ item, kib }) => [item, `${kib.toFixed(1)} KiB`]),
  ];
  return { head: ['', 'figure'], words: 1, rows };
}

export function timingTable(timings: readonly Timing[]): Table {
  const rows = timings.map(({ what, label, ms }) => [
    what,
    label,
    String(ms.length),
    median(ms).toFixed(0),
    Math.max(...ms).toFixed(0),
  ]);
  return { head: ['ms', '', 'attempts', 'median', 'worst'], words: 2, rows };
}

export function verdictTable(verdicts: readonly Verdict[]): Table {
  const words = { pass: 'PASS', fail: 'FAIL', busy: 'BUSY' } as const;
  const rows = verdicts.map((verdict) => [words[verdict.outcome], verdict.what, verdict.found, verdict.target]);
  return { head: ['', 'target', 'found', 'asked'], words: 2, rows };
}

export function asText({ head, words, rows }: Table): string {
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    widths
      .map((width, i) => (i < words ? (cells[i] ?? '').padEnd(width) : (cells[i] ?? '').padStart(width)))
      .join('  ')
      .trimEnd();
  return [line(head), ...rows.map(line)].map((text) => `  ${text}`).join('\n');
}

export function asMarkdown({ head, words, rows }: Table): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const rule = head.map((_, i) => (i < words ? '---' : '---:'));
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}
