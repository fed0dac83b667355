/** Figures of tasks while they run. */
import type { Task } from '../../../../daemon/contract/tasks.ts';

/** Before this, a rate says little about the rest. */
const leastMs = 5000;

/** Returns milliseconds, or undefined while it cannot be told. `now` is the time of the hub, whose clock may differ. */
export function timeLeft({ done, total, started }: Task, now: number): number | undefined {
  const passed = now - started;
  if (done === 0 || done >= total || passed < leastMs) return undefined;
  return ((total - done) * passed) / done;
}

/** Returns a share between 0 and 1. Tasks whose total is unknown count as not started. */
export function overallShare(tasks: readonly Task[]): number {
  const shares = tasks.map(({ done, total }) => (total === 0 ? 0 : Math.min(1, done / total)));
  return shares.reduce((sum, share) => sum + share, 0) / Math.max(1, shares.length);
}

export function hasFailed({ state, failed }: Task): boolean {
  return failed > 0 || state === 'failed' || state === 'interrupted';
}
