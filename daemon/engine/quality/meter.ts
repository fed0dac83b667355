/**
 * Quality of one connection: figures of the last second, computed from running totals, and their history. A connection
 * without figures uses no memory.
 */
import {
  type ConnectionQuality,
  type QualityFigure,
  type QualityHistory,
  qualityFigures,
} from '../../media/protocol/reported.ts';
import type { Readings } from './readings.ts';
import { type Sample, Track } from './track.ts';

export type QualityMeter = ReturnType<typeof createQualityMeter>;

/** How long each resolution is kept. */
interface Keeping {
  /** Seconds. */
  readonly fine: number;
  /** Steps of `coarseSeconds`. */
  readonly coarse: number;
}

export const coarseSeconds = 5;
/** Inputs and outputs: five minutes in seconds, and an hour. At most 34 KB. */
export const connectionKeeping: Keeping = { fine: 300, coarse: 720 };
/** There may be hundreds of clients: ten minutes. At most 4 KB. */
export const clientKeeping: Keeping = { fine: 0, coarse: 120 };

/** Packet loss is reported over this time, since a single packet in one second says little. */
const lossSeconds = 10;

const counters = ['lost', 'retransmitted', 'dropped', 'ccErrors'] as const;
type Counter = (typeof counters)[number] | 'packets';
const isCounter = (figure: QualityFigure) => (counters as readonly string[]).includes(figure);

interface Lost {
  readonly lost: number;
  readonly packets: number;
}

export function createQualityMeter(keeping: Keeping) {
  let fine: Track | undefined;
  let coarse: Track | undefined;
  let step = newStep();
  let now: ConnectionQuality | undefined;
  let recent: Lost[] = [];
  const totals = new Map<Counter, number>();

  /** A total that decreased belongs to another connection, which started at 0. */
  function grown(counter: Counter, total: number | undefined): number | undefined {
    if (total === undefined) return undefined;
    const before = totals.get(counter) ?? 0;
    totals.set(counter, total);
    return total >= before ? total - before : total;
  }

  function measure(readings: Readings): { sample: Sample; loss: Lost | undefined } {
    const sample: Sample = {};
    for (const counter of counters) set(sample, counter, grown(counter, readings[counter]));
    set(sample, 'rttMs', readings.rttMs);
    set(sample, 'jitterMs', readings.jitterMs);
    set(sample, 'bufferMs', readings.bufferMs);
    const packets = grown('packets', readings.packets);
    const { lost } = sample;
    const loss = packets === undefined || lost === undefined ? undefined : { lost, packets };
    if (loss) set(sample, 'lossPercent', percentOf([loss]));
    return { sample, loss };
  }

  function keep(sample: Sample | undefined, loss: Lost | undefined): void {
    const hasFigures = sample !== undefined && Object.keys(sample).length > 0;
    if (!coarse && !hasFigures) return;
    coarse ??= new Track(keeping.coarse);
    if (keeping.fine > 0) fine ??= new Track(keeping.fine);
    fine?.push(sample ? 'connected' : 'gone', sample ?? {});
    addTo(step, sample, loss);
    if (step.seconds < coarseSeconds) return;
    coarse.push(step.isGone ? 'gone' : 'connected', sampleOf(step));
    step = newStep();
  }

  return {
    /** Called once per second; `readings` is undefined while there is no connection. */
    tick(readings: Readings | undefined): void {
      const { sample, loss } = readings ? measure(readings) : { sample: undefined, loss: undefined };
      recent = loss ? [...recent, loss].slice(-lossSeconds) : [];
      const lossPercent = percentOf(recent);
      const isKnown = sample !== undefined && Object.keys(sample).length > 0;
      now = isKnown ? { ...rounded(sample), ...(lossPercent !== undefined && { lossPercent }) } : undefined;
      keep(sample, loss);
    },
    /** Undefined while nothing is known. */
    get now(): ConnectionQuality | undefined {
      return now;
    },
    /** Returns the last `minutes`, in seconds if those are kept; undefined if there have never been figures. */
    history(minutes: number): Omit<QualityHistory, 'end'> | undefined {
      if (!coarse) return undefined;
      if (fine && minutes * 60 <= keeping.fine) return { stepSeconds: 1, ...fine.values(minutes * 60) };
      return { stepSeconds: coarseSeconds, ...coarse.values((minutes * 60) / coarseSeconds) };
    },
    /** Memory used by the history. */
    get bytes(): number {
      return (fine?.bytes ?? 0) + (coarse?.bytes ?? 0);
    },
  };
}

function set(sample: Sample, figure: QualityFigure, value: number | undefined): void {
  if (value !== undefined) sample[figure] = value;
}

/** Returns undefined while nothing has been sent. */
function percentOf(list: readonly Lost[]): number | undefined {
  let lost = 0;
  let packets = 0;
  for (const one of list) {
    lost += one.lost;
    packets += one.packets;
  }
  const all = Math.max(packets, lost);
  return all === 0 ? undefined : hundredths((100 * lost) / all);
}

const hundredths = (value: number) => Math.round(value * 100) / 100;

function rounded(sample: Sample): ConnectionQuality {
  return Object.fromEntries(Object.entries(sample).map(([figure, value]) => [figure, hundredths(value)]));
}

interface Step {
  seconds: number;
  isGone: boolean;
  sample: Sample;
  lost: Lost[];
}

function newStep(): Step {
  return { seconds: 0, isGone: false, sample: {}, lost: [] };
}

/** Adds up packets; of delays and buffers, keeps the largest value, which is the one with consequences. */
function addTo(step: Step, sample: Sample | undefined, loss: Lost | undefined): void {
  step.seconds++;
  if (!sample) step.isGone = true;
  if (loss) step.lost.push(loss);
  for (const figure of qualityFigures) {
    const value = sample?.[figure];
    if (value === undefined) continue;
    const before = step.sample[figure];
    if (before === undefined) step.sample[figure] = value;
    else step.sample[figure] = isCounter(figure) ? before + value : Math.max(before, value);
  }
}

function sampleOf({ sample, lost }: Step): Sample {
  const lossPercent = percentOf(lost);
  return lossPercent === undefined ? sample : { ...sample, lossPercent };
}
