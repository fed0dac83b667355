import { describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadPieces, savePieces } from '../pieces.ts';
import { rows } from '../rows.ts';
import { median } from '../statistics.ts';
import { judge } from './judge.ts';
import { mediaUsage } from './mixed-table.ts';
import {
  type BenchResult,
  type Findings,
  type LinkFigure,
  type MixedReaders,
  type Piece,
  type Point,
  type RowResult,
  together,
} from './result.ts';
import { escapeXml, niceTicks, svgPlot } from './svg-plot.ts';
import { asMarkdown, asText, rowTable } from './table.ts';

const row = rows.find(({ id }) => id === 'rtmp')!;

function point(change: Partial<Point>): Point {
  const nothing = { lost: 0, faults: 0, failedReaders: 0, addedP50Ms: 1, addedP99Ms: 2 };
  const amounts = { readers: 16, cpu: 0.01, cpuParts: {}, pssBytes: 1e7, kbpsPerReader: 6000, othersCpu: 0, runs: 1 };
  return { ...nothing, ...amounts, ...change };
}

function resultOf(ours: Point, peer: Point): { result: BenchResult; rowResult: RowResult } {
  const rowResult: RowResult = {
    row,
    floorMs: 0,
    subjects: [
      { id: 'signalbox', label: 'Signalbox', isOurs: true, points: [ours] },
      { id: 'nginx-rtmp', label: 'nginx-rtmp', isOurs: false, points: [peer] },
    ],
  };
  return {
    rowResult,
    result: { rows: [rowResult], timings: [], problems: [], seconds: 60, from: '', to: '', machine: 'a machine' },
  };
}

const outcomes = (ours: Partial<Point>, peer: Partial<Point>): string[] =>
  judge(resultOf(point(ours), point(peer)).result).map(({ outcome }) => outcome);

describe('full logs', () => {
  const logs = (slowest: number, gap: number, othersCpu = 0): Findings => ({
    logs: {
      ...{ entries: 100, lines: 50, system: [{ what: 'a page', ours: [1], plain: [2] }], othersCpu },
      operations: [{ what: 'a page', ours: [1, 2, slowest], plain: [4, 4] }],
      scroll: { gaps: [16, 16, gap], longTasks: [], maxRows: 90, pixels: 3600 },
    },
  });
  const judged = (findings: Findings) => {
    const pieces: Piece[] = [{ suite: 'log', findings, problems: [], at: '', seconds: 1 }];
    return judge(together(pieces, 'a machine')).map(({ outcome }) => outcome);
  };

  test('the slowest response and the scrolling gaps are compared with 50 ms', () => {
    expect(judged(logs(49, 49))).toEqual(['pass', 'pass', 'pass']);
    expect(judged(logs(51, 49))).toEqual(['fail', 'pass', 'pass']);
    expect(judged(logs(49, 51))).toEqual(['pass', 'pass', 'fail']);
    expect(judged(logs(51, 49, 1))).toEqual(['busy', 'pass', 'pass']);
  });
});

test('memory of an idle process is compared without pages of files', () => {
  const judged = (ownMegabytes: number, rssMegabytes: number) => {
    const megabytes = { ownBytes: ownMegabytes * 2 ** 20, rssBytes: rssMegabytes * 2 ** 20, pssBytes: 0 };
    const idle = { startMs: 300, othersCpu: 0, processes: [{ name: 'hub', cpu: 0, ...megabytes }], sizes: [] };
    const pieces: Piece[] = [{ suite: 'idle', findings: { idle }, problems: [], at: '', seconds: 1 }];
    return judge(together(pieces, 'a machine')).map(({ outcome }) => outcome);
  };
  expect(judged(24, 90)).toEqual(['pass', 'pass']);
  expect(judged(24.1, 60)).toEqual(['pass', 'fail']);
});

test('figures of links are compared with their targets, and other load excuses all but counts', () => {
  const judged = (figure: Omit<LinkFigure, 'what'>, othersCpu = 0) => {
    const findings = { link: { paths: [], figures: [{ what: 'x', ...figure }], othersCpu } };
    const pieces: Piece[] = [{ suite: 'link', findings, problems: [], at: '', seconds: 1 }];
    return judge(together(pieces, 'a machine')).map(({ outcome }) => outcome);
  };
  expect(judged({ found: 0.5, unit: '×', atLeast: 0.5 })).toEqual(['pass']);
  expect(judged({ found: 0.49, unit: '×', atLeast: 0.5 })).toEqual(['fail']);
  expect(judged({ found: 0.49, unit: '×', atLeast: 0.5 }, 1)).toEqual(['busy']);
  expect(judged({ found: 2.01, unit: '×', atMost: 2 })).toEqual(['fail']);
  expect(judged({ found: 1, unit: '', atMost: 0 }, 1)).toEqual(['fail']);
});

test('the median first load of a page is compared with its target', () => {
  const judged = (times: readonly number[], othersCpu = 0) => {
    const runs = times.map((ms) => ({ ms, requests: 10, bytes: 80_000, othersCpu }));
    const findings = { console: [{ what: 'dashboard', limitMs: 3000, runs }] };
    const pieces: Piece[] = [{ suite: 'console', findings, problems: [], at: '', seconds: 1 }];
    return judge(together(pieces, 'a machine')).map(({ outcome }) => outcome);
  };
  expect(judged([2000, 3000, 9000])).toEqual(['pass']);
  expect(judged([2000, 3001, 9000])).toEqual(['fail']);
  expect(judged([2000, 3001, 9000], 1)).toEqual(['busy']);
});

describe('targets', () => {
  test('twice the CPU of nginx-rtmp passes, more fails', () => {
    expect(outcomes({ cpu: 0.02 }, { cpu: 0.01 })[0]).toBe('pass');
    expect(outcomes({ cpu: 0.021 }, { cpu: 0.01 })[0]).toBe('fail');
  });

  test('the cost of each further player is compared with that of the peer', () => {
    const { result, rowResult } = resultOf(point({ cpu: 0.02 }), point({ cpu: 0.01 }));
    const [ours, peer] = rowResult.subjects;
    const at64 = (cpu: number): string[] => {
      const subjects = [
        { ...ours!, points: [...ours!.points, point({ readers: 64, cpu })] },
        { ...peer!, points: [...peer!.points, point({ readers: 64, cpu: 0.04 })] },
      ];
      return judge({ ...result, rows: [{ ...rowResult, subjects }] }).map(({ what, outcome }) => `${what} ${outcome}`);
    };
    expect(at64(0.058)).toContainEqual(expect.stringMatching(/each further player, 16 to 64 pass$/));
    expect(at64(0.0595)).toContainEqual(expect.stringMatching(/CPU at 64.* pass$/));
    expect(at64(0.061)).toContainEqual(expect.stringMatching(/each further player, 16 to 64 fail$/));
    expect(at64(0.061)).toContainEqual(expect.stringMatching(/CPU at 64.* fail$/));
  });

  test('the worst attempt is compared with the time limit, and only ours', () => {
    const { result } = resultOf(point({}), point({}));
    const of = { what: 'first picture', label: 'Signalbox', isOurs: true, limitMs: 300 };
    const outcome = (ms: number[], isOurs: boolean) =>
      judge({ ...result, rows: [], timings: [{ ...of, isOurs, ms }] }).map((verdict) => verdict.outcome);
    expect(outcome([20, 299, 20], true)).toEqual(['pass']);
    expect(outcome([20, 301, 20], true)).toEqual(['fail']);
    expect(outcome([900], false)).toEqual([]);
  });

  test('a slow tail, a lost frame and a closed reader each fail', () => {
    expect(outcomes({}, {})).not.toContain('fail');
    expect(outcomes({ addedP99Ms: 15.1 }, {})).toContain('fail');
    expect(outcomes({ lost: 1 }, {})).toContain('fail');
    expect(outcomes({ failedReaders: 1 }, {})).toContain('fail');
  });

  test('on a busy machine a slow tail or more CPU is inconclusive, loss still fails', () => {
    expect(outcomes({ addedP99Ms: 50, othersCpu: 1 }, {})).toContain('busy');
    expect(outcomes({ addedP99Ms: 50, othersCpu: 1 }, {})).not.toContain('fail');
    expect(outcomes({ cpu: 0.031, othersCpu: 1 }, { cpu: 0.01 })[0]).toBe('busy');
    expect(outcomes({ cpu: 0.031 }, { cpu: 0.01, othersCpu: 1 })[0]).toBe('busy');
    expect(outcomes({ lost: 1, othersCpu: 1 }, {})).toContain('fail');
  });

  test('loss of a peer does not count against us', () => {
    expect(outcomes({}, { lost: 100 })).not.toContain('fail');
  });

  test('without a run of the peer there is no verdict on CPU', () => {
    const { result, rowResult } = resultOf(point({}), point({}));
    const alone = { ...result, rows: [{ ...rowResult, subjects: rowResult.subjects.slice(0, 1) }] };
    expect(judge(alone).map(({ what }) => what)).not.toContainEqual(expect.stringContaining('CPU'));
  });
});

describe('players that stop reading', () => {
  const outcomeOf = (bytesAt: (second: number) => number): string | undefined => {
    const seconds = Array.from({ length: 47 }, (_, i) => i - 10);
    const samples = seconds.map((second) => ({ second, bytes: bytesAt(second) }));
    const ours = { label: 'Signalbox', isOurs: true, samples, healthyP99Ms: 1, healthyLost: 0 };
    const { result } = resultOf(point({}), point({}));
    return judge({ ...result, rows: [], frozen: { players: 4, series: [ours] } })[0]?.outcome;
  };
  const megabyte = 1024 * 1024;

  test('memory that grows with the stream fails', () => {
    expect(outcomeOf((second) => (40 + Math.max(0, second) * 0.75) * megabyte)).toBe('fail');
  });

  test('queues that fill up and stay do not fail, nor does uncollected garbage', () => {
    expect(outcomeOf((second) => (second > 0 ? 52 : 40) * megabyte)).toBe('pass');
    expect(outcomeOf((second) => (30 + ((second + 10) % 8) * 6) * megabyte)).toBe('pass');
  });
});

describe('many channels', () => {
  const readers = { kind: 'UDP', kbpsEach: 6000, leastShare: 1, lost: 0, faults: 0, failed: 0, p50Ms: 1, p99Ms: 2 };
  const outcomesOf = (change: Partial<MixedReaders>): string[] => {
    const { result } = resultOf(point({}), point({}));
    const ours = { label: 'Signalbox', isOurs: true, parts: {}, othersCpu: 0, readers: [{ ...readers, ...change }] };
    return judge({ ...result, rows: [], mixed: { channels: 16, subjects: [ours] } }).map(({ outcome }) => outcome);
  };

  test('a reader that lacks data fails, lost or late', () => {
    expect(outcomesOf({})).toEqual(['pass', 'pass']);
    expect(outcomesOf({ lost: 1 })).toEqual(['fail', 'pass']);
    expect(outcomesOf({ leastShare: 0.97 })).toEqual(['pass', 'fail']);
  });

  test('one segment may be outside the window', () => {
    expect(outcomesOf({ kind: 'HLS', leastShare: 0.7 })).toEqual(['pass', 'pass']);
    expect(outcomesOf({ kind: 'HLS', leastShare: 0.4 })).toEqual(['pass', 'fail']);
  });

  test('the hub is not part of the media path', () => {
    const part = (cpu: number) => ({ cpu, pssBytes: 1000 });
    expect(mediaUsage({ parts: { hub: part(9), engine: part(1), endpoints: part(2) }, othersCpu: 0 })).toEqual({
      cpu: 3,
      pssBytes: 2000,
    });
  });
});

describe('thumbnails', () => {
  const failed = (makers: readonly number[], leastPictures: number): string[] => {
    const { result } = resultOf(point({}), point({}));
    const points = [0, 1, 16, 0].map((lookers, i) => ({
      lookers,
      parts: {},
      othersCpu: 0,
      makers: makers[i] ?? 0,
      ...(lookers > 0 && { leastPictures }),
    }));
    const verdicts = judge({ ...result, rows: [], preview: { seconds: 7, points } });
    return verdicts.flatMap(({ what, outcome }) => (outcome === 'fail' ? [what] : []));
  };

  test('one FFmpeg serves all viewers, and none runs without viewers', () => {
    expect(failed([0, 1, 1, 0], 3)).toEqual([]);
    expect(failed([0, 1, 16, 0], 3)).toEqual(['thumbnails: FFmpegs for one channel at which 16 look']);
    expect(failed([0, 1, 1, 1], 3)).toEqual(['thumbnails: FFmpegs when nobody looks any more']);
  });

  test('viewers get pictures', () => {
    expect(failed([0, 1, 1, 0], 0)).toEqual(['thumbnails: who of 16 got no picture']);
  });
});

describe('suites of several runs', () => {
  const piece = (suite: Piece['suite'], findings: Findings, at: string): Piece => ({
    suite,
    findings,
    problems: [],
    at,
    seconds: 60,
  });

  test('are combined into one result', () => {
    const { rowResult } = resultOf(point({}), point({}));
    const preview = { seconds: 7, points: [] };
    const all = together([piece('rtmp', { rows: [rowResult] }, '2'), piece('preview', { preview }, '1')], 'a machine');
    expect(all).toMatchObject({ rows: [rowResult], timings: [], preview, seconds: 120, from: '1', to: '2' });
  });

  test('are stored under their name, and dropped on another machine', () => {
    const folder = mkdtempSync(join(tmpdir(), 'bench-pieces-'));
    try {
      const { rowResult } = resultOf(point({}), point({}));
      const pieces = [piece('rtmp', { rows: [rowResult] }, '1')];
      savePieces(folder, 'full', { machine: 'a machine', pieces });
      expect(loadPieces(folder, 'full', 'a machine')).toEqual(pieces);
      expect(loadPieces(folder, 'full', 'another')).toEqual([]);
      expect(loadPieces(folder, 'quick', 'a machine')).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('tables', () => {
  const table = rowTable(resultOf(point({ cpu: 0.03 }), point({ cpu: 0.02 })).rowResult);

  test('the row of a peer shows how ours compares with it', () => {
    expect(table.rows.map((cells) => cells.slice(0, 4))).toEqual([
      ['Signalbox', '16', '0.0300', ''],
      ['nginx-rtmp', '16', '0.0200', '1.50 ×'],
    ]);
  });

  test('text is aligned and Markdown has a cell for every column', () => {
    const numbers = asText(table)
      .split('\n')
      .slice(1)
      .map((line) => line.indexOf('0.0'));
    expect(new Set(numbers).size).toBe(1);
    for (const line of asMarkdown(table).split('\n')) expect(line.match(/\|/g)).toHaveLength(table.head.length + 1);
  });
});

describe('plot', () => {
  test.each([
    [0.7, [0, 0.2, 0.4, 0.6, 0.8]],
    [5, [0, 1, 2, 3, 4, 5]],
    [34, [0, 10, 20, 30, 40]],
    [0, [0, 1]],
  ])('an axis up to %p has round ticks', (max, ticks) => {
    expect(niceTicks(max).map((tick) => Number(tick.toFixed(6)))).toEqual(ticks);
  });

  test('labels at the same height are moved apart', () => {
    const line = (label: string) => ({
      label,
      isOurs: false,
      points: [
        { x: 1, y: 1 },
        { x: 16, y: 2 },
      ],
    });
    const panel = { title: 't', xLabel: 'n', yLabel: 'CPU', isLogarithmic: true, lines: ['a', 'b', 'c'].map(line) };
    const heights = [...svgPlot('x', [panel]).matchAll(/y="([\d.]+)" class="label f\d">/g)].map((match) =>
      Number(match[1]),
    );
    expect(heights).toHaveLength(3);
    for (const [i, y] of heights.slice(1).entries()) expect(y - heights[i]!).toBeGreaterThanOrEqual(15);
  });

  test('names cannot break the plot', () => {
    expect(escapeXml('a<b & "c"')).toBe('a&lt;b &amp; &quot;c&quot;');
  });
});

test('the median of an even number of values is the mean of the middle two', () => {
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(median([3, 1, 2])).toBe(2);
});
