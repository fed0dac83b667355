/**
 * Repeated calls that share one timer per interval. An idle process pays for being woken, not for what it then does, so
 * calls that are due equally often run together.
 */
interface Group {
  readonly calls: Set<() => void>;
  readonly timer: ReturnType<typeof setInterval>;
}

const groups = new Map<number, Group>();

/** Calls `call` every `ms` milliseconds, for the first time at any time before. Returns a function that ends this. */
export function shareInterval(ms: number, call: () => void): () => void {
  const group = groups.get(ms) ?? begin(ms);
  // The same function may be given twice.
  const own = () => call();
  group.calls.add(own);
  return () => {
    if (!group.calls.delete(own) || group.calls.size > 0) return;
    clearInterval(group.timer);
    groups.delete(ms);
  };
}

function begin(ms: number): Group {
  const calls = new Set<() => void>();
  const timer = setInterval(() => {
    for (const call of calls) call();
  }, ms);
  const group = { calls, timer };
  groups.set(ms, group);
  return group;
}
