/** Counts failed attempts by key, over a time that moves on. Memory only. */

interface TriesOptions {
  readonly maxTries: number;
  readonly withinMs: number;
  readonly now: () => number;
}

/** Beyond these, the oldest key is forgotten. */
const maxKeys = 4096;

export function createTries({ maxTries, withinMs, now }: TriesOptions) {
  /** Times of the newest failures, the key that failed last at the end. */
  const failures = new Map<string, readonly number[]>();
  const recent = (key: string) => (failures.get(key) ?? []).filter((at) => now() - at < withinMs);
  return {
    mayTry: (key: string): boolean => recent(key).length < maxTries,
    note(key: string): void {
      const times = [...recent(key), now()].slice(-maxTries);
      failures.delete(key);
      failures.set(key, times);
      const [oldest] = failures.keys();
      if (failures.size > maxKeys && oldest !== undefined) failures.delete(oldest);
    },
  };
}
