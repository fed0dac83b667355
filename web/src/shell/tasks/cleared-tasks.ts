/** The ended tasks that the user has removed from the tray of this browser. The hub keeps them. */
import { useEffect, useState } from 'react';
import type { Task } from '../../../../daemon/contract/tasks.ts';

const keyOf = (user: string) => `signalbox-cleared-tasks-${user}`;
/** A hub that was reset uses its ids again. */
const markOf = ({ id, ended }: Task) => `${id}-${ended}`;

export function useClearedTasks(user: string) {
  const key = keyOf(user);
  const [cleared, setCleared] = useState(() => read(key));
  useEffect(() => {
    const follow = (event: StorageEvent) => {
      if (event.key === key) setCleared(read(key));
    };
    window.addEventListener('storage', follow);
    return () => window.removeEventListener('storage', follow);
  }, [key]);
  return {
    isCleared: (task: Task) => cleared.has(markOf(task)),
    /** Takes all tasks of the hub: what it has forgotten does not stay in the storage. */
    clear(tasks: readonly Task[]) {
      const next = tasks.filter(({ ended }) => ended > 0).map(markOf);
      setCleared(new Set(next));
      write(key, next);
    },
  };
}

function read(key: string): ReadonlySet<unknown> {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return new Set(Array.isArray(stored) ? stored : []);
  } catch {
    // Storage is blocked or its content is invalid.
    return new Set();
  }
}

function write(key: string, marks: readonly string[]): void {
  try {
    localStorage.setItem(key, JSON.stringify(marks));
  } catch {
    // They are then removed only until the page is reloaded.
  }
}
