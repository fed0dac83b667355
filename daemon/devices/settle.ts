import { setTimeout as wait } from 'node:timers/promises';

/**
 * Resolves once `isSettled` is true, or after `settleMs`: the device has accepted the change in any case, and may be too
 * busy with it to answer.
 */
export async function settle(
  isSettled: () => Promise<boolean>,
  { settleMs, settleStepMs }: { readonly settleMs: number; readonly settleStepMs: number },
  signal: AbortSignal,
): Promise<void> {
  const until = performance.now() + settleMs;
  while (!(await isSettled().catch(() => false)) && performance.now() < until) {
    await wait(settleStepMs, undefined, { signal }).catch((error: unknown) => {
      // With the reason, which says more than that something was aborted.
      signal.throwIfAborted();
      throw error;
    });
  }
}
