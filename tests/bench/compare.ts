/** Runs a row: Signalbox and its peers in turn, so that other load on the machine affects all of them. */
import { type BenchHub, startHub } from './hub.ts';
import { type Measurement, measure, type Timing } from './measure.ts';
import type { Point, RowResult, SubjectResult } from './report/result.ts';
import { type Hop, judgedReaders, type Row } from './rows.ts';
import { median } from './statistics.ts';
import { direct } from './subjects/direct.ts';
import type { Subject } from './subjects/subject.ts';
import type { Toolbox } from './tools.ts';

export interface Plan {
  readonly toolbox: Toolbox;
  readonly timing: Timing;
  /** How long a new hub relays before the measurement. */
  readonly warmUpMs: number;
  readonly readers: readonly number[];
  /** For the judged number of readers; the others run once. */
  readonly repeat: number;
  readonly isQuick: boolean;
  /** After this, no run is repeated. */
  readonly softEnd: number;
  readonly say: (line: string) => void;
  readonly onProblem: (text: string) => void;
}

interface Entry {
  readonly subject: Subject;
  readonly isOurs: boolean;
  readonly maxReaders: number;
}

export async function compare(row: Row, plan: Plan): Promise<RowResult> {
  let hub: Promise<BenchHub> | undefined;
  const hubOfRow = (): Promise<BenchHub> => {
    hub ??= startHub();
    return hub;
  };
  const entries: Entry[] = [
    { subject: row.ours(hubOfRow), isOurs: true, maxReaders: Number.POSITIVE_INFINITY },
    ...row.peers.map(({ subject, maxReaders, quickReaders }) => ({
      subject,
      isOurs: false,
      maxReaders: plan.isQuick ? (quickReaders ?? maxReaders) : maxReaders,
    })),
  ];
  try {
    const floorBefore = await measureFloor(row.hops, plan);
    await warmUp(row, entries, plan);
    const runs = await runInTurn(row, entries, plan);
    // The lower of two: other programs can only increase it.
    const floorMs = Math.min(floorBefore, await measureFloor(row.hops, plan));
    const subjects = entries.map(({ subject, isOurs }): SubjectResult => {
      const own = runs.filter((run) => run.subject === subject.id);
      const points = readersOf(row, plan).flatMap((readers) => combine(own, readers, floorMs));
      return { id: subject.id, label: subject.label, isOurs, points };
    });
    return { row, floorMs, subjects };
  } finally {
    await hub?.then(
      (started) => started.stop(),
      () => {},
    );
  }
}

function readersOf({ readers, quickReaders }: Row, plan: Plan): readonly number[] {
  return readers ?? (plan.isQuick ? quickReaders : undefined) ?? plan.readers;
}

async function runInTurn(row: Row, entries: readonly Entry[], plan: Plan): Promise<Measurement[]> {
  const runs: Measurement[] = [];
  for (let round = 0; round < plan.repeat; round++) {
    for (const readers of readersOf(row, plan)) {
      const isRepeated = round > 0;
      const { cpuRatio, atMost } = row.targets;
      const isJudged = (readers === judgedReaders(row) && cpuRatio !== undefined) || readers === atMost?.readers;
      if (isRepeated && (!isJudged || performance.now() > plan.softEnd)) continue;
      for (const { subject, maxReaders } of entries) {
        if (readers > maxReaders) continue;
        const run = await attempt(row, subject, readers, plan);
        if (run !== undefined) runs.push(run);
      }
    }
  }
  return runs;
}

/**
 * JavaScript is interpreted first and compiled while it runs: the engine costs twice as much in its first five seconds
 * as later. A hub runs for months, so these seconds are not representative.
 */
async function warmUp(row: Row, entries: readonly Entry[], plan: Plan): Promise<void> {
  const ours = entries.find(({ isOurs }) => isOurs);
  if (ours === undefined) return;
  const windowMs = plan.isQuick ? plan.warmUpMs : (row.warmUpMs ?? plan.warmUpMs);
  // A failure shows again, with its reason, in the first measured run.
  const run = measure(plan.toolbox, ours.subject, judgedReaders(row), { settleMs: 0, windowMs });
  await run.catch(() => undefined);
}

async function attempt(row: Row, subject: Subject, readers: number, plan: Plan): Promise<Measurement | undefined> {
  try {
    const settleMs = plan.isQuick ? plan.timing.settleMs : (row.settleMs ?? plan.timing.settleMs);
    const run = await measure(plan.toolbox, subject, readers, { ...plan.timing, settleMs });
    const cpu = (mediaCpu(run) * 100).toFixed(2);
    plan.say(`  ${row.title}, n = ${readers}: ${subject.label} ${cpu} % of a core`);
    return run;
  } catch (error) {
    plan.onProblem(
      `${row.title}, ${subject.label}, n = ${readers}: ${error instanceof Error ? error.message : String(error)}`,
    );
    return undefined;
  }
}

/** The current median delay of each protocol hop on this machine. */
async function measureFloor(hops: readonly Hop[], plan: Plan): Promise<number> {
  let floorMs = 0;
  for (const hop of new Set(hops)) {
    const { report } = await measure(plan.toolbox, direct(hop), 1, { settleMs: 500, windowMs: 2000 });
    floorMs += report.latencyMs.p50 * hops.filter((each) => each === hop).length;
  }
  return floorMs;
}

/** The hub itself is listed but is not part of the media path: it may be down. */
function mediaCpu({ parts }: Measurement): number {
  return sum(mediaParts(parts).map(([, part]) => part.cpu));
}

function mediaParts(parts: Measurement['parts']): [string, Measurement['parts'][string]][] {
  return Object.entries(parts).filter(([name]) => name !== 'hub');
}

function combine(runs: readonly Measurement[], readers: number, floorMs: number): Point[] {
  const own = runs.filter((run) => run.readers === readers);
  const first = own[0];
  if (first === undefined) return [];
  const of = (figure: (run: Measurement) => number): number => median(own.map(figure));
  const names = Object.keys(first.parts);
  return [
    {
      readers,
      cpu: of(mediaCpu),
      cpuParts: Object.fromEntries(names.map((name) => [name, of((run) => run.parts[name]?.cpu ?? 0)])),
      pssBytes: of((run) => sum(mediaParts(run.parts).map(([, part]) => part.pssBytes))),
      addedP50Ms: of((run) => run.report.latencyMs.p50) - floorMs,
      addedP99Ms: of((run) => run.report.latencyMs.p99) - floorMs,
      // Losses are summed, not averaged.
      lost: sum(own.map(({ report }) => report.lost)),
      faults: sum(own.map(({ report }) => report.faults)),
      failedReaders: Math.max(...own.map(({ report }) => report.closed + report.stalled)),
      kbpsPerReader: of(({ report }) => (report.bytes * 8) / report.seconds / readers / 1000),
      othersCpu: Math.max(...own.map((run) => run.othersCpu)),
      runs: own.length,
    },
  ];
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
