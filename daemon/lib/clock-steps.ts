/** Notices that the clock of the system was set: it has then moved otherwise than the time that passed. */
import { readFileSync } from 'node:fs';

interface PassedTime {
  /** Milliseconds that passed, in any count. */
  readonly elapsed: () => number;
  /** The same, with the time in which the machine slept; slower. */
  readonly sinceBoot: () => number;
}

/** Smaller steps end nothing early that lasts a minute or more. */
const leastMs = 10_000;

const ofMachine: PassedTime = { elapsed: () => performance.now(), sinceBoot: msSinceBoot };

/**
 * Returns a function that returns by how many milliseconds the clock `now` was set since it was last called; 0: not at
 * all.
 */
export function createStepWatch(now: () => number, { elapsed, sinceBoot }: PassedTime = ofMachine): () => number {
  let [awake, booted] = [now() - elapsed(), now() - sinceBoot()];
  return () => {
    const next = now() - elapsed();
    if (Math.abs(next - awake) < leastMs) return 0;
    awake = next;
    const step = now() - sinceBoot() - booted;
    // The machine slept.
    if (Math.abs(step) < leastMs) return 0;
    booted += step;
    return Math.round(step);
  };
}

/** Milliseconds since the machine started, also those in which it slept. */
export function msSinceBoot(): number {
  return Number.parseFloat(readFileSync('/proc/uptime', 'utf8')) * 1000;
}
