/** Which tasks end while the console is open. */
import type { ObjectsEvent } from '../../../../daemon/contract/events.ts';
import type { Task } from '../../../../daemon/contract/tasks.ts';

/**
 * Returns a function that returns the tasks that an event ends. Tasks of the first list, which may arrive in several
 * messages, ended before the page was loaded.
 */
export function createEndWatch() {
  let isLoaded = false;

  return (before: readonly Task[] | undefined, { changed, left }: ObjectsEvent<Task>): readonly Task[] => {
    const wasLoaded = isLoaded && before !== undefined;
    isLoaded = wasLoaded || left === 0;
    if (!wasLoaded) return [];
    const known = new Set(before.filter(({ ended }) => ended > 0).map(({ id }) => id));
    return changed.filter(({ id, ended }) => ended > 0 && !known.has(id));
  };
}
