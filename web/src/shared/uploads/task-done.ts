import { taskApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { CallError, callErrorOf } from '../../lib/call-error.ts';

const pollMs = 300;

/** Resolves when the hub has taken what was uploaded; rejects with the reason why it has not. */
export async function taskDone(id: number, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const task = await call(taskApi.query, { query: { id }, signal });
    if (task.state === 'done') return;
    if (task.fault !== undefined) throw callErrorOf(task.fault);
    if (task.ended > 0) throw new CallError(task.state === 'canceled' ? 'canceled' : 'interrupted');
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
