/** The rate of a transfer over its last seconds. */
const windowMs = 5000;
/** Before this, a rate says little. */
const leastMs = 500;

export function createRate(now: () => number = () => performance.now()) {
  const seen: { readonly time: number; readonly done: number }[] = [];
  return {
    /** Takes the number of bytes that have arrived. Returns bytes per second; undefined while that cannot be told. */
    add(done: number): number | undefined {
      const time = now();
      seen.push({ time, done });
      while (seen.length > 2 && (seen[1]?.time ?? time) <= time - windowMs) seen.shift();
      const [first] = seen;
      if (first === undefined || time - first.time < leastMs) return undefined;
      return Math.max(0, ((done - first.done) * 1000) / (time - first.time));
    },
  };
}
