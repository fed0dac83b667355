/** Audio levels with meter ballistics: peaks in dBFS, held briefly, then falling; and how long there is silence. */

export const lowestDb = -60;
const holdMs = 1500;
/** After a longer time without measurements, the silence is counted again from the start. */
const gapMs = 1000;
/** Fall rate of peak program meters: 20 dB in 1.7 s. */
const fallDbPerMs = 20 / 1700;

export interface Level {
  /** dBFS, not below `lowestDb`. */
  readonly now: number;
  readonly peak: number;
  /** For how long nothing has reached `lowestDb`. */
  readonly silentMs: number;
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
  let heardAt = 0;
  return (db, nowMs) => {
    const passed = Number.isNaN(last) ? 0 : nowMs - last;
    if (db > lowestDb || !(nowMs - last <= gapMs)) heardAt = nowMs;
    last = nowMs;
    now = Math.max(db, now - passed * fallDbPerMs, lowestDb);
    if (now >= peak) {
      peak = now;
      peakAt = nowMs;
    } else if (nowMs - peakAt > holdMs) {
      peak = Math.max(now, peak - passed * fallDbPerMs);
    }
    return { now, peak, silentMs: nowMs - heardAt };
  };
}
