/** When somebody is warned that the session ends, and how often the hub hears that somebody is there. */
interface SessionTime {
  /** Seconds as the hub answers them; -1 never. */
  readonly expiresIn: number;
  /** Minutes without use that the settings allow. */
  readonly limitMinutes: number;
}

const longestWarningMs = 120_000;
const longestKeepMs = 60_000;
/** Another tab may have kept the session alive meanwhile. */
const lookAgainMs = 5000;
const soonestMs = 1000;

/** Two minutes before the end; halfway where that is later. */
function warningMs(limitMinutes: number): number {
  return Math.min(longestWarningMs, limitMinutes * 30_000);
}

export function isNearEnd({ expiresIn, limitMinutes }: SessionTime): boolean {
  return expiresIn >= 0 && expiresIn * 1000 <= warningMs(limitMinutes);
}

/** When to ask the hub again after it has answered; undefined: never. */
export function nextLookMs(time: SessionTime): number | undefined {
  const leftMs = time.expiresIn * 1000;
  if (time.expiresIn < 0) return undefined;
  const wait = isNearEnd(time) ? Math.min(lookAgainMs, leftMs) : leftMs - warningMs(time.limitMinutes);
  return Math.max(soonestMs, wait);
}

/** Pause between two words to the hub that somebody is there. */
export function keepPauseMs(limitMinutes: number): number {
  return Math.min(longestKeepMs, limitMinutes * 15_000);
}

/** Minutes and seconds. */
export function countdown(leftMs: number): string {
  const seconds = Math.max(0, Math.ceil(leftMs / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
