/** When to warn that the session ends, and how often to send a keep-alive to the hub. */
interface SessionTime {
  /** Seconds as reported by the hub; -1 for never. */
  readonly expiresIn: number;
  /** Allowed minutes of inactivity. */
  readonly limitMinutes: number;
}

const longestWarningMs = 120_000;
const longestKeepMs = 60_000;
/** Another tab may have kept the session alive in the meantime. */
const lookAgainMs = 5000;
const soonestMs = 1000;

/** Two minutes before the end, or half the session time if that is shorter. */
function warningMs(limitMinutes: number): number {
  return Math.min(longestWarningMs, limitMinutes * 30_000);
}

export function isNearEnd({ expiresIn, limitMinutes }: SessionTime): boolean {
  return expiresIn >= 0 && expiresIn * 1000 <= warningMs(limitMinutes);
}

/** Delay until the next session query after a response; undefined for never. */
export function nextLookMs(time: SessionTime): number | undefined {
  const leftMs = time.expiresIn * 1000;
  if (time.expiresIn < 0) return undefined;
  const wait = isNearEnd(time) ? Math.min(lookAgainMs, leftMs) : leftMs - warningMs(time.limitMinutes);
  return Math.max(soonestMs, wait);
}

/** Interval between two keep-alive calls while the user is active. */
export function keepPauseMs(limitMinutes: number): number {
  return Math.min(longestKeepMs, limitMinutes * 15_000);
}

/** Minutes and seconds. */
export function countdown(leftMs: number): string {
  const seconds = Math.max(0, Math.ceil(leftMs / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
