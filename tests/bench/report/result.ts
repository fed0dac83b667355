/** All results of a bench run, before formatting. */
import type { Usage } from '../measure.ts';
import type { RowId } from '../options.ts';
import type { Row } from '../rows.ts';
import type { Timing } from '../times/timing.ts';

export interface Point {
  readonly readers: number;
  /** CPU seconds of the media path per second of stream. */
  readonly cpu: number;
  /** The same by process kind. */
  readonly cpuParts: Readonly<Record<string, number>>;
  readonly pssBytes: number;
  /** In addition to the protocols' own delay. */
  readonly addedP50Ms: number;
  readonly addedP99Ms: number;
  readonly lost: number;
  /** Continuity counter or timestamp errors. */
  readonly faults: number;
  /** Readers that were closed or got nothing for 2 s, over HLS for two segments. */
  readonly failedReaders: number;
  readonly kbpsPerReader: number;
  /** CPU used by other programs in the meantime, in cores. */
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
  /** The player next to the frozen ones. */
  readonly healthyP99Ms: number;
  readonly healthyLost: number;
}

export interface IdleProcess {
  readonly name: string;
  /** Roughly its size if it were alone on the machine. */
  readonly rssBytes: number;
  /** Other programs with the same runtime, such as the bench, share part of the pages. */
  readonly pssBytes: number;
  /** Without file-backed pages, such as those of the program. */
  readonly ownBytes: number;
  /** CPU seconds per second. */
  readonly cpu: number;
}

export interface IdleResult {
  /** Until it is ready and accepts RTMP. */
  readonly startMs: number;
  /** CPU used by other programs while it started, in cores. */
  readonly othersCpu: number;
  readonly processes: readonly IdleProcess[];
  /** From the size budget; empty if the console is not built. */
  readonly sizes: readonly { readonly item: string; readonly kib: number; readonly budget: number }[];
}

/** The data received by readers of one kind. */
export interface MixedReaders {
  readonly kind: string;
  readonly kbpsEach: number;
  /** Frames of the reader with the fewest, as a share of those sent in that time. */
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
  /** FFmpeg processes at the end of the window. */
  readonly makers: number;
  /** Of the viewer with the fewest; undefined without viewers. */
  readonly leastPictures?: number;
}

export interface PreviewResult {
  readonly seconds: number;
  /** In the order of measurement; the last is without viewers again. */
  readonly points: readonly PreviewPoint[];
}

/** Milliseconds of each repetition. */
export interface LogAnswer {
  readonly what: string;
  /** Over HTTP, like the console. */
  readonly ours: readonly number[];
  /** A full scan of the same table, without HTTP. */
  readonly plain: readonly number[];
  /** Over the exported log file; only for a plain text. */
  readonly grep?: readonly number[];
}

export interface ScrollResult {
  /** Milliseconds between frames, and of tasks that blocked the page for more than 50. */
  readonly gaps: readonly number[];
  readonly longTasks: readonly number[];
  readonly maxRows: number;
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

/** A process that serves an event stream. */
export interface EventsSubject {
  readonly kind: 'hub' | 'plain';
  /** CPU seconds per second, with listeners that read. */
  readonly cpu: number;
  readonly othersCpu: number;
  /** Its memory without listeners, with them, and with as many again that do not read. */
  readonly emptyBytes: number;
  readonly readBytes: number;
  readonly unreadBytes: number;
  /** Of the listener that got least. */
  readonly leastBytesPerSecond: number;
}

export interface EventsResult {
  readonly objects: number;
  readonly objectBytes: number;
  readonly changesPerSecond: number;
  readonly listeners: number;
  readonly subjects: readonly EventsSubject[];
}

/** One file from or to a server; the median of several, and the highest growth. */
export interface Transfer {
  readonly what: string;
  readonly isOurs: boolean;
  readonly seconds: number;
  /** Of the server. */
  readonly cpuSeconds: number;
  /** The highest resident memory above that before. */
  readonly growthBytes: number;
  /** Includes curl. */
  readonly othersCpu: number;
}

export interface UploadResult {
  readonly bytes: number;
  readonly transfers: readonly Transfer[];
  /** Of other requests to the hub while files arrive. */
  readonly longestAnswerMs: number;
}

/** A page of the console in a browser with a cold cache. */
export interface FirstLoad {
  readonly what: string;
  readonly limitMs: number;
  readonly runs: readonly {
    /** From the start of the navigation until the page can be used. */
    readonly ms: number;
    /** Until then. */
    readonly requests: number;
    readonly bytes: number;
    /** CPU used by other programs in the meantime, in cores. */
    readonly othersCpu: number;
  }[];
}

/** One way to a port of a device. */
export interface LinkPath {
  readonly name: string;
  /** Of a large download. */
  readonly bytesPerSecond: number;
  /** Of the process in between; 0 without one. */
  readonly cpuSecondsPerGb: number;
  /** Small requests over one connection, and over 100. */
  readonly singleP50Ms: number;
  readonly manyPerSecond: number;
  readonly manyP99Ms: number;
  /** Of what is between client and origin, on the hub's side. */
  readonly cpuMicrosecondsPerRequest: number;
}

export interface LinkFigure {
  readonly what: string;
  readonly found: number;
  /** Empty for a count. */
  readonly unit: string;
  readonly atLeast?: number;
  readonly atMost?: number;
}

export interface LinkResult {
  readonly paths: readonly LinkPath[];
  readonly figures: readonly LinkFigure[];
  /** CPU used by other programs in the meantime, in cores. */
  readonly othersCpu: number;
}

/** The results of one suite. */
export interface Findings {
  readonly rows?: readonly RowResult[];
  readonly timings?: readonly Timing[];
  readonly mixed?: MixedResult;
  readonly preview?: PreviewResult;
  readonly frozen?: FrozenResult;
  readonly idle?: IdleResult;
  readonly logs?: LogsResult;
  readonly events?: EventsResult;
  readonly upload?: UploadResult;
  readonly console?: readonly FirstLoad[];
  readonly link?: LinkResult;
  readonly fleet?: LinkResult;
  readonly firewall?: LinkResult;
  readonly ndi?: LinkResult;
}

export interface Piece {
  readonly suite: RowId;
  readonly findings: Findings;
  readonly problems: readonly string[];
  /** Completion time, ISO. */
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
