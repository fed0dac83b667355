import { setTimeout as wait } from 'node:timers/promises';

/**
 * Resolves with true once `isSettled` is, and with false after `settleMs`: the device has accepted the change in any
 * case, and may be too busy with it to answer.
 */
export async function settle(
  isSettled: () => Promise<boolean>,
  { settleMs, settleStepMs }: { readonly settleMs: number; readonly settleStepMs: number },
  signal: AbortSignal,
): Promise<boolean> {
  const until = performance.now() + settleMs;
  while (!(await isSettled().catch(() => false))) {
    if (performance.now() >= until) return false;
    await wait(settleStepMs, undefined, { signal }).catch((error: unknown) => {
      // With the reason, which says more than that something was aborted.
      signal.throwIfAborted();
      throw error;
    });
  }
  return true;
}
