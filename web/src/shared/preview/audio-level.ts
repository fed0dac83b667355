/** Audio levels with meter ballistics: peaks in dBFS, held briefly, then falling. */

export const lowestDb = -60;
const holdMs = 1500;
/** Fall rate of peak program meters: 20 dB in 1.7 s. */
const fallDbPerMs = 20 / 1700;

export interface Level {
  /** dBFS, not below `lowestDb`. */
  readonly now: number;
  readonly peak: number;
}

export function peakDb(samples: Float32Array): number {
  let peak = 0;
  for (const sample of samples) peak = Math.max(peak, Math.abs(sample));
  return peak === 0 ? lowestDb : Math.max(lowestDb, 20 * Math.log10(peak));
}

/** Ballistics of one channel: instant attack, slow release. */
export function createLevel(): (db: number, nowMs: number) => Level {
  let now = lowestDb;
  let peak = lowestDb;
  let peakAt = Number.NEGATIVE_INFINITY;
  let last = Number.NaN;
  return (db, nowMs) => {
    const passed = Number.isNaN(last) ? 0 : nowMs - last;
    last = nowMs;
    now = Math.max(db, now - passed * fallDbPerMs, lowestDb);
    if (now >= peak) {
      peak = now;
      peakAt = nowMs;
    } else if (nowMs - peakAt > holdMs) {
      peak = Math.max(now, peak - passed * fallDbPerMs);
    }
    return { now, peak };
  };
}
