/** Rates from byte counters, measured once per second, and their history over the last hour. */
import { timing } from '../../timing.ts';

const historySeconds = 3600;

export type RateMeter = ReturnType<typeof createRateMeter>;

export function createRateMeter() {
  let lastBytes = 0;
  let lastTick = 0;
  let lastFlow = -Infinity;
  let kbps = 0;
  let since = 0;
  return {
    /** `totalBytes`: running total. Call once per second. */
    tick(totalBytes: number, nowMs: number): void {
      const grown = totalBytes - lastBytes;
      const elapsed = nowMs - lastTick;
      if (grown > 0) {
        lastFlow = nowMs;
        if (since === 0) since = Date.now();
      } else if (nowMs - lastFlow > timing.flow.noDataMs) since = 0;
      if (elapsed > 0) kbps = lastTick === 0 ? 0 : Math.max(0, (grown * 8) / elapsed);
      lastBytes = totalBytes;
      lastTick = nowMs;
    },
    get kbps(): number {
      return Math.round(kbps);
    },
    /** When bytes began to flow, in milliseconds since 1970; 0 while they do not (none for 2 s). */
    get since(): number {
      return since;
    },
    get isFlowing(): boolean {
      return since !== 0;
    },
  };
}

/** A ring of one number per second. NaN: unknown. */
export function createRateRing(size: number = historySeconds) {
  const ring = new Float32Array(size).fill(Number.NaN);
  let next = 0;
  return {
    push(kbps: number): void {
      ring[next] = kbps;
      next = (next + 1) % size;
    },
    values(): (number | null)[] {
      const list: (number | null)[] = [];
      for (let i = 0; i < size; i++) {
        const value = ring[(next + i) % size] ?? Number.NaN;
        if (Number.isNaN(value)) {
          if (list.length > 0) list.push(null);
        } else list.push(Math.round(value));
      }
      return list;
    },
  };
}
