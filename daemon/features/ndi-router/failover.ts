/** Decides when outputs switch to the substitute of their input and back, from the presence of sources over time. */
import { findLoop, inputOf, type Matrix, type MatrixOutput } from './matrix.ts';

export interface Presence {
  readonly online: boolean;
  /** Milliseconds of a monotonic clock. */
  readonly since: number;
}

export interface FailoverTimes {
  /** Milliseconds for which a source must be offline before outputs switch. */
  readonly lostMs: number;
  /** Milliseconds for which a source must be online again before outputs return. */
  readonly backMs: number;
}

export interface FailoverSwitch {
  readonly out: number;
  readonly substitute: number | null;
}

/**
 * Returns the switches that are due, and the time at which to check again. `isArmed` is false for an output that a user
 * routed to a source that was already offline: the user wants to wait for this source.
 */
export function dueSwitches(
  matrix: Matrix,
  state: {
    readonly now: number;
    readonly presence: (source: string) => Presence;
    readonly isArmed: (out: number) => boolean;
    readonly times: FailoverTimes;
  },
): { readonly switches: readonly FailoverSwitch[]; readonly nextAt: number | undefined } {
  const switches: FailoverSwitch[] = [];
  let nextAt: number | undefined;
  let next = matrix;
  const isDue = (at: number): boolean => {
    if (at <= state.now) return true;
    nextAt = Math.min(nextAt ?? at, at);
    return false;
  };
  const change = (out: number, output: MatrixOutput, substitute: number | null) => {
    const changed = { ...next, outputs: new Map(next.outputs).set(out, { ...output, substitute }) };
    if (findLoop(changed)) return;
    next = changed;
    switches.push({ out, substitute });
  };
  for (const [out, output] of matrix.outputs) {
    const { slot, substitute, lock, failoverWhenLocked } = output;
    const { source, failover } = slot === null ? { source: null, failover: null } : inputOf(matrix, slot);
    const isFixed = lock !== null && !failoverWhenLocked;
    if (substitute !== null && (substitute !== failover || source === null)) {
      // The input now has another substitute, no substitute or no source.
      if (!isFixed) change(out, output, null);
      continue;
    }
    if (source === null || failover === null || isFixed) continue;
    const { online, since } = state.presence(source);
    if (substitute !== null) {
      if (online && isDue(since + state.times.backMs)) change(out, output, null);
      continue;
    }
    const other = inputOf(matrix, failover).source;
    if (online || other === null || !state.isArmed(out) || !state.presence(other).online) continue;
    if (isDue(since + state.times.lostMs)) change(out, output, failover);
  }
  return { switches, nextAt };
}

export function withSwitches(matrix: Matrix, switches: readonly FailoverSwitch[]): Matrix {
  const outputs = new Map(matrix.outputs);
  for (const { out, substitute } of switches) {
    const output = outputs.get(out);
    if (output) outputs.set(out, { ...output, substitute });
  }
  return { ...matrix, outputs };
}
