/** Compares the results with the targets. */

import { judgedReaders, type Row } from '../rows.ts';
import { median } from '../statistics.ts';
import type { Timing } from '../times/timing.ts';
import { shareOf } from './logs-table.ts';
import type {
  BenchResult,
  EventsResult,
  FirstLoad,
  FrozenResult,
  FrozenSeries,
  IdleResult,
  LinkResult,
  LogsResult,
  MixedResult,
  Point,
  PreviewResult,
  RowResult,
  SubjectResult,
  UploadResult,
} from './result.ts';

export interface Verdict {
  readonly what: string;
  readonly found: string;
  readonly target: string;
  /** `busy`: missed while other programs used the CPU, so it must be measured again. */
  readonly outcome: 'pass' | 'fail' | 'busy';
}

/** CPU use of other programs, in cores, above which waiting for a CPU distorts the results. */
const busyCores = 0.3;

const mebibyte = 1024 * 1024;
/**
 * Each frozen player may hold a full queue of 4 MB. A queue that grows with a stream of 6 Mb/s has exceeded four of
 * them after 23 s, before the last third of either bench starts.
 */
const frozenBytesPerPlayer = 4 * mebibyte;
const startLimitMs = 400;
/**
 * Megabytes by process; other processes have no limit. File-backed pages do not count: two thirds of the RSS are pages
 * of the program, which hub and engine share and the kernel drops when memory is short. Their number depends on the
 * page cache: in three starts, the same hub had 49.8 to 51.1 MB of file-backed pages, and 20.6 to 21.3 MB of its own.
 */
const idleLimits: Readonly<Record<string, number>> = { hub: 24, engine: 12 };

export function judge(result: BenchResult): Verdict[] {
  return [
    ...result.rows.flatMap(judgeRow),
    ...(result.mixed === undefined ? [] : judgeMixed(result.mixed)),
    ...(result.preview === undefined ? [] : judgePreview(result.preview)),
    ...(result.frozen === undefined ? [] : judgeFrozen(result.frozen)),
    ...(result.idle === undefined ? [] : judgeIdle(result.idle)),
    ...(result.logs === undefined ? [] : judgeLogs(result.logs)),
    ...(result.events === undefined ? [] : judgeEvents(result.events)),
    ...(result.upload === undefined ? [] : judgeUpload(result.upload)),
    ...(result.console ?? []).map(judgeFirstLoad),
    ...(result.link === undefined ? [] : judgeLink('link', result.link)),
    ...(result.firewall === undefined ? [] : judgeLink('firewall', result.firewall)),
    ...(result.ndi === undefined ? [] : judgeLink('ndi', result.ndi)),
    ...(result.fleet === undefined ? [] : judgeLink('fleet', result.fleet)),
    ...result.timings.flatMap(judgeTiming),
  ];
}

export function ratioTo(of: Point, to: Point | undefined): number | undefined {
  return to === undefined || to.cpu === 0 ? undefined : of.cpu / to.cpu;
}

export function pointAt(points: readonly Point[], readers: number): Point | undefined {
  return points.find((point) => point.readers === readers);
}

function judgeRow({ row, subjects }: RowResult): Verdict[] {
  const [ours, yardstick] = subjects;
  if (ours === undefined || ours.points.length === 0) return [];
  const readers = judgedReaders(row);
  const { p99Ms, p50Ms } = row.targets;
  const judged = pointAt(ours.points, readers);
  const verdicts = judgeCpu(row, ours, yardstick);
  if (judged !== undefined) {
    const title = `${row.title}: added latency`;
    const judgeMs = (name: string, found: number, limit: number | undefined): void => {
      if (limit === undefined) return;
      verdicts.push(unlessBusy(judged, atMost(`${title} ${name} at ${readers}`, found, limit, 'ms')));
    };
    judgeMs('p50', judged.addedP50Ms, p50Ms);
    judgeMs('p99', judged.addedP99Ms, p99Ms);
  }
  const harmed = ours.points.map((point) => point.lost + point.faults + point.failedReaders);
  verdicts.push(none(`${row.title}: lost frames, faults and failed readers`, harmed));
  return verdicts;
}

function judgeCpu(row: Row, ours: SubjectResult, yardstick: SubjectResult | undefined): Verdict[] {
  const { cpuRatio, atMost: elsewhere, perFurther } = row.targets;
  const readers = judgedReaders(row);
  const verdicts: Verdict[] = [];
  const compared = (at: number): { own: Point; rival: Point } | undefined => {
    const [own, rival] = [pointAt(ours.points, at), pointAt(yardstick?.points ?? [], at)];
    return own === undefined || rival === undefined ? undefined : { own, rival };
  };
  const judgeRatio = (what: string, ratio: number, must: number, points: readonly Point[]): void => {
    const target = `≤ ${must} ×`;
    const outcome = ratio <= must ? 'pass' : 'fail';
    // A process that waits for a CPU then has more work per wakeup, which is cheaper: this affects both sides.
    const busiest = { othersCpu: Math.max(...points.map(({ othersCpu }) => othersCpu)) };
    verdicts.push(unlessBusy(busiest, { what, found: `${ratio.toFixed(2)} ×`, target, outcome }));
  };
  for (const { must, at } of [
    ...(cpuRatio === undefined ? [] : [{ must: cpuRatio.must, at: readers }]),
    ...(elsewhere === undefined ? [] : [{ must: elsewhere.must, at: elsewhere.readers }]),
  ]) {
    const pair = compared(at);
    const ratio = pair && ratioTo(pair.own, pair.rival);
    if (pair === undefined || ratio === undefined) continue;
    judgeRatio(`${row.title}: CPU at ${at}, against ${yardstick?.label}`, ratio, must, [pair.own, pair.rival]);
  }
  const most = Math.max(...ours.points.map((point) => point.readers));
  const [few, many] = [compared(readers), compared(most)];
  if (perFurther !== undefined && few !== undefined && many !== undefined && most > readers) {
    const ratio = (many.own.cpu - few.own.cpu) / (many.rival.cpu - few.rival.cpu);
    const points = [few.own, few.rival, many.own, many.rival];
    judgeRatio(`${row.title}: CPU of each further player, ${readers} to ${most}`, ratio, perFurther, points);
  }
  return verdicts;
}

function unlessBusy({ othersCpu }: { readonly othersCpu: number }, verdict: Verdict): Verdict {
  return verdict.outcome === 'fail' && othersCpu > busyCores ? { ...verdict, outcome: 'busy' } : verdict;
}

/** Segments of 2 s arrive completely: within a window one more or less may have been fetched. */
const leastFrames = { segments: 0.6, others: 0.98 };

function judgeMixed({ channels, subjects }: MixedResult): Verdict[] {
  const ours = subjects.find(({ isOurs }) => isOurs);
  if (ours === undefined) return [];
  const harmed = ours.readers.map(({ lost, faults, failed }) => lost + faults + failed);
  const of = `${channels} channels × ${ours.readers.length} outputs`;
  return [
    none(`${of}: lost frames, faults and failed readers`, harmed),
    ...ours.readers.map(({ kind, leastShare }) => {
      const least = kind === 'HLS' ? leastFrames.segments : leastFrames.others;
      const outcome = leastShare >= least ? ('pass' as const) : ('fail' as const);
      const [found, target] = [`${(leastShare * 100).toFixed(1)} %`, `≥ ${least * 100} %`];
      return { what: `${of}: frames of the ${kind} reader that got fewest`, found, target, outcome };
    }),
  ];
}

function judgePreview({ points }: PreviewResult): Verdict[] {
  const looked = points.filter(({ lookers }) => lookers > 0);
  const most = looked.at(-1);
  const makersOf = (what: string, makers: number, limit: number): Verdict => ({
    what: `thumbnails: FFmpegs ${what}`,
    found: String(makers),
    target: String(limit),
    outcome: makers === limit ? 'pass' : 'fail',
  });
  return [
    ...looked.map(({ lookers, makers }) => makersOf(`for one channel at which ${lookers} look`, makers, 1)),
    ...points.flatMap(({ lookers, makers }, i) =>
      lookers > 0 ? [] : [makersOf(i === 0 ? 'before anybody looks' : 'when nobody looks any more', makers, 0)],
    ),
    ...(most === undefined
      ? []
      : [none(`thumbnails: who of ${most.lookers} got no picture`, [most.leastPictures === 0 ? 1 : 0])]),
  ];
}

function judgeFrozen({ series, players }: FrozenResult): Verdict[] {
  const ours = series.find((each) => each.isOurs);
  if (ours === undefined) return [];
  const last = ours.samples.at(-1)?.second ?? 0;
  const before = lowest(ours.samples, Number.NEGATIVE_INFINITY, 0);
  const growth = lowest(ours.samples, (last * 2) / 3, last) - before;
  const limit = (players * frozenBytesPerPlayer) / mebibyte;
  return [
    atMost(`${players} frozen RTMP players: growth of memory`, growth / mebibyte, limit, 'MB'),
    none('the player beside the frozen ones: lost frames', [ours.healthyLost]),
  ];
}

/** 19 of 20 answers to the slowest query; occasionally garbage is collected. */
const logMs = 50;
/** Three frames: longer gaps are visible. */
const scrollMs = 50;

function judgeLogs({ entries, lines, operations, system, othersCpu, scroll }: LogsResult): Verdict[] {
  const slowest = (answers: LogsResult['system']) => Math.max(...answers.map(({ ours }) => shareOf(ours, 0.94)));
  const verdicts = [
    atMost(`operation log of ${entries}: slowest answer`, slowest(operations), logMs, 'ms'),
    atMost(`system log of ${lines}: slowest answer`, slowest(system), logMs, 'ms'),
    ...(scroll === undefined
      ? []
      : [atMost('operation log: 99 of 100 frames while it scrolls', shareOf(scroll.gaps, 0.99), scrollMs, 'ms')]),
  ];
  return verdicts.map((verdict) => unlessBusy({ othersCpu }, verdict));
}

const eventLimits = { cpuPercent: 15, megabytes: 100, megabytesPerStalled: 2 };

function judgeEvents({ subjects, listeners, objects }: EventsResult): Verdict[] {
  const ours = subjects.find(({ kind }) => kind === 'hub');
  if (ours === undefined) return [];
  const of = `${objects} objects, ${listeners} event streams`;
  return [
    unlessBusy(ours, atMost(`${of}: CPU`, ours.cpu * 100, eventLimits.cpuPercent, '%')),
    atMost(`${of}: memory`, ours.readBytes / mebibyte, eventLimits.megabytes, 'MB'),
    atMost(
      `${listeners} more that do not read: growth of memory`,
      (ours.unreadBytes - ours.readBytes) / mebibyte,
      listeners * eventLimits.megabytesPerStalled,
      'MB',
    ),
  ];
}

/** A file of any size costs the same. */
const transferMegabytes = { default: 30, refused: 4 };

function judgeUpload({ bytes, transfers }: UploadResult): Verdict[] {
  return transfers
    .filter(({ isOurs }) => isOurs)
    .map(({ what, growthBytes }) => {
      const limit = what === 'refused' ? transferMegabytes.refused : transferMegabytes.default;
      return atMost(`${bytes / 1e6} MB ${what}: growth of memory`, growthBytes / mebibyte, limit, 'MB');
    });
}

function judgeFirstLoad({ what, limitMs, runs }: FirstLoad): Verdict {
  const busiest = { othersCpu: Math.max(...runs.map(({ othersCpu }) => othersCpu)) };
  return unlessBusy(busiest, atMost(`console, first load: ${what}`, median(runs.map(({ ms }) => ms)), limitMs, 'ms'));
}

function judgeLink(suite: 'link' | 'fleet' | 'firewall' | 'ndi', { figures, othersCpu }: LinkResult): Verdict[] {
  return figures.map(({ what, found, unit, atLeast, atMost: most }) => {
    const isMet = found >= (atLeast ?? found) && found <= (most ?? found);
    const target = (atLeast === undefined ? `≤ ${most} ${unit}` : `≥ ${atLeast} ${unit}`).trim();
    const text = `${found.toFixed(unit === '' ? 1 : 2)} ${unit}`.trim();
    const verdict: Verdict = { what: `${suite}: ${what}`, found: text, target, outcome: isMet ? 'pass' : 'fail' };
    // Counts are of bytes and attempts, which no load excuses.
    return unit === '' ? verdict : unlessBusy({ othersCpu }, verdict);
  });
}

/** Memory really held, without garbage: the lowest value within a time. */
export function lowest(samples: FrozenSeries['samples'], from: number, to: number): number {
  return Math.min(...samples.filter(({ second }) => second >= from && second <= to).map(({ bytes }) => bytes));
}

/** The worst value: a viewer's wait is not the median. */
function judgeTiming({ what, label, isOurs, ms, limitMs }: Timing): Verdict[] {
  return isOurs && limitMs !== undefined ? [atMost(`${what} (${label})`, Math.max(...ms), limitMs, 'ms')] : [];
}

function judgeIdle(idle: IdleResult): Verdict[] {
  return [
    unlessBusy(idle, atMost('start to ready', idle.startMs / 1000, startLimitMs / 1000, 's')),
    ...idle.processes.flatMap(({ name, ownBytes }) => {
      const limit = idleLimits[name];
      return limit === undefined ? [] : [atMost(`idle ${name}: memory of its own`, ownBytes / mebibyte, limit, 'MB')];
    }),
    ...idle.sizes.map(({ item, kib, budget }) => atMost(item, kib, budget, 'KiB')),
  ];
}

function atMost(what: string, found: number, limit: number, unit: string): Verdict {
  const digits = unit === 's' || unit === 'ms' ? 2 : 1;
  const outcome = found <= limit ? 'pass' : 'fail';
  return { what, found: `${found.toFixed(digits)} ${unit}`, target: `≤ ${limit} ${unit}`, outcome };
}

function none(what: string, counts: readonly number[]): Verdict {
  const total = counts.reduce((sum, count) => sum + count, 0);
  return { what, found: String(total), target: '0', outcome: total === 0 ? 'pass' : 'fail' };
}
