import type { Task } from '../../../../daemon/contract/tasks.ts';

/** A running task with 10 items, none of them done. */
export function taskWith(change: Partial<Task>): Task {
  return {
    ...{ id: 1, kind: 'pen.fill', subject: 'Store', owner: 'ann', state: 'running', unit: 'items' },
    ...{ done: 0, total: 10, failed: 0, cancelable: true, started: 1_700_000_000_000, ended: 0 },
    ...change,
  };
}
