/** The last hour of a device's figures, in a fixed amount of memory: 7 KB per device. */
import type { DeviceFacts } from '../contract/device-facts.ts';
import type { DeviceHistory } from './report.ts';

export const historyStepMs = 10_000;
export const historySteps = 360;
/** The figures of a sample hold this long without a newer one; a longer gap stays empty. Devices are asked more often. */
const heldMs = 60_000;

const series = ['cpu', 'temperature', 'rxKbps', 'txKbps', 'streamKbps'] as const;
type Figures = Readonly<Record<(typeof series)[number], number | undefined>>;

export class FigureHistory {
  readonly #values = series.map(() => new Float32Array(historySteps).fill(Number.NaN));
  #lastStep: number | undefined;

  /** `now` in milliseconds. It may not go backwards by more than a step; an earlier step is not written any more. */
  add(facts: DeviceFacts, now: number): void {
    const step = Math.floor(now / historyStepMs);
    if (this.#lastStep !== undefined && step < this.#lastStep) return;
    const figures = figuresOf(facts);
    this.#moveTo(step);
    for (const [at, name] of series.entries()) this.#write(at, step, figures[name] ?? Number.NaN);
    this.#lastStep = step;
  }

  /** Returns the newest steps before `now`, at most those of an hour. */
  read(now: number, steps: number): DeviceHistory {
    const end = Math.floor(now / historyStepMs);
    const last = this.#lastStep ?? Number.NEGATIVE_INFINITY;
    const valueAt = (at: number, step: number): number | null => {
      if (step > last || step <= last - historySteps) return null;
      const value = this.#values[at]?.[step % historySteps] ?? Number.NaN;
      return Number.isNaN(value) ? null : Math.round(value * 10) / 10;
    };
    const row = (at: number) => Array.from({ length: steps }, (_, index) => valueAt(at, end - steps + 1 + index));
    return {
      end: end * historyStepMs,
      ...{ cpu: row(0), temperature: row(1), rxKbps: row(2), txKbps: row(3), streamKbps: row(4) },
    };
  }

  /** Fills the steps since the last sample: with its figures if it is recent, otherwise with nothing. */
  #moveTo(step: number): void {
    const last = this.#lastStep;
    if (last === undefined) return;
    const isHeld = (step - last) * historyStepMs <= heldMs;
    const from = Math.max(last + 1, step - historySteps + 1);
    for (const [at, values] of this.#values.entries()) {
      const value = isHeld ? (values[last % historySteps] ?? Number.NaN) : Number.NaN;
      for (let next = from; next <= step; next++) this.#write(at, next, value);
    }
  }

  #write(at: number, step: number, value: number): void {
    const values = this.#values[at];
    if (values !== undefined) values[step % historySteps] = value;
  }
}

function figuresOf({ cpu, temperature, ethernet, streams }: DeviceFacts): Figures {
  const running = streams.filter(({ state }) => state === 'running');
  return {
    cpu,
    temperature,
    rxKbps: ethernet?.['rx-kbps'],
    txKbps: ethernet?.['tx-kbps'],
    streamKbps: running.length === 0 ? 0 : sum(running.map(({ kbps }) => kbps)),
  };
}

/** Returns undefined if none of them is known. */
function sum(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : known.reduce((total, value) => total + value, 0);
}
