/** Everything a bench found out, before it is put into words. */
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

export interface BenchResult {
  readonly rows: readonly RowResult[];
  readonly frozen?: FrozenResult;
  readonly idle?: IdleResult;
  readonly timings: readonly Timing[];
  readonly problems: readonly string[];
  readonly seconds: number;
  readonly machine: string;
}
