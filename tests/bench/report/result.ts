/** Everything a bench found out, before it is put into words. */
import type { Usage } from '../measure.ts';
import type { RowId } from '../options.ts';
import type { Row } from '../rows.ts';
import type { Timing } from '../times/timing.ts';

export interface Point {
  readonly readers: number;
  /** Seconds of CPU per second of stream, of the media path. */
  readonly cpu: number;
  /** The same by process kind, ours only as far as it differs. */
  readonly cpuParts: Readonly<Record<string, number>>;
  readonly pssBytes: number;
  /** On top of the protocols' own delay. */
  readonly addedP50Ms: number;
  readonly addedP99Ms: number;
  readonly lost: number;
  /** Continuity counter or timestamp faults. */
  readonly faults: number;
  /** Readers that were closed or got nothing for 2 s. */
  readonly failedReaders: number;
  readonly kbpsPerReader: number;
  /** Cores' worth of CPU that other programs used meanwhile. */
  readonly othersCpu: number;
  readonly runs: number;
}

export interface SubjectResult {
  readonly id: string;
  readonly label: string;
  readonly isOurs: boolean;
  readonly points: readonly Point[];
}

export interface RowResult {
  readonly row: Row;
  readonly floorMs: number;
  /** Ours first, then the yardstick, then the others. */
  readonly subjects: readonly SubjectResult[];
}

export interface FrozenResult {
  readonly players: number;
  readonly series: readonly FrozenSeries[];
}
export interface FrozenSeries {
  readonly label: string;
  readonly isOurs: boolean;
  readonly samples: readonly { readonly second: number; readonly bytes: number }[];
  /** The player beside the frozen ones. */
  readonly healthyP99Ms: number;
  readonly healthyLost: number;
}

export interface IdleProcess {
  readonly name: string;
  /** Alone on the machine it would be about this much. */
  readonly rssBytes: number;
  /** Other programs of the same runtime, such as the bench, take their share of the shared pages. */
  readonly pssBytes: number;
  /** Seconds of CPU per second. */
  readonly cpu: number;
}

export interface IdleResult {
  /** Until it answers "ready" and takes RTMP. */
  readonly startMs: number;
  /** Cores' worth of CPU that other programs used while it started. */
  readonly othersCpu: number;
  readonly processes: readonly IdleProcess[];
  /** As the size budget has them; empty when the console isn't built. */
  readonly sizes: readonly { readonly item: string; readonly kib: number; readonly budget: number }[];
}

/** What the readers of one kind got. */
export interface MixedReaders {
  readonly kind: string;
  readonly kbpsEach: number;
  /** Frames of the reader that got fewest, of those that were sent meanwhile. */
  readonly leastShare: number;
  readonly lost: number;
  readonly faults: number;
  readonly failed: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface MixedSubjectResult extends Usage {
  readonly label: string;
  readonly isOurs: boolean;
  readonly readers: readonly MixedReaders[];
}

export interface MixedResult {
  readonly channels: number;
  readonly subjects: readonly MixedSubjectResult[];
}

export interface PreviewPoint extends Usage {
  readonly lookers: number;
  /** FFmpegs at the end of the window. */
  readonly makers: number;
  /** Of who got fewest; undefined where nobody looks. */
  readonly leastPictures?: number;
}

export interface PreviewResult {
  readonly seconds: number;
  /** In the order they were measured; the last is with nobody again. */
  readonly points: readonly PreviewPoint[];
}

/** Milliseconds of each time that it was asked. */
export interface LogAnswer {
  readonly what: string;
  /** Over HTTP, as the console asks. */
  readonly ours: readonly number[];
  /** The same table read from end to end, without HTTP. */
  readonly plain: readonly number[];
  /** Over the file that the log is loaded down as; of a text alone. */
  readonly grep?: readonly number[];
}

export interface ScrollResult {
  /** Milliseconds from one frame to the next, and of tasks that held the page up for more than 50. */
  readonly gaps: readonly number[];
  readonly longTasks: readonly number[];
  readonly mostRows: number;
  readonly pixels: number;
}

export interface LogsResult {
  readonly entries: number;
  readonly lines: number;
  readonly operations: readonly LogAnswer[];
  readonly system: readonly LogAnswer[];
  readonly othersCpu: number;
  readonly scroll: ScrollResult | undefined;
}

/** What one suite found. */
export interface Findings {
  readonly rows?: readonly RowResult[];
  readonly timings?: readonly Timing[];
  readonly mixed?: MixedResult;
  readonly preview?: PreviewResult;
  readonly frozen?: FrozenResult;
  readonly idle?: IdleResult;
  readonly logs?: LogsResult;
}

export interface Piece {
  readonly suite: RowId;
  readonly findings: Findings;
  readonly problems: readonly string[];
  /** When it was done, ISO. */
  readonly at: string;
  readonly seconds: number;
}

export interface BenchResult extends Required<Pick<Findings, 'rows' | 'timings'>>, Omit<Findings, 'rows' | 'timings'> {
  readonly problems: readonly string[];
  readonly seconds: number;
  /** Of the first and the last suite, ISO. */
  readonly from: string;
  readonly to: string;
  readonly machine: string;
}

export function together(pieces: readonly Piece[], machine: string): BenchResult {
  const all = pieces.map(({ findings }) => findings);
  const times = pieces.map(({ at }) => at).toSorted();
  return {
    ...Object.assign({}, ...all),
    rows: all.flatMap(({ rows = [] }) => rows),
    timings: all.flatMap(({ timings = [] }) => timings),
    problems: pieces.flatMap(({ problems }) => problems),
    seconds: pieces.reduce((sum, { seconds }) => sum + seconds, 0),
    from: times[0] ?? '',
    to: times.at(-1) ?? '',
    machine,
  };
}
