/** Delay before attempt `attempt` (from 0): doubles up to `maxMs`, with a jitter of plus or minus one third. */
export function backoffMs(attempt: number, { minMs = 500, maxMs = 5000, random = Math.random } = {}): number {
  const base = Math.min(maxMs, minMs * 2 ** Math.min(attempt, 20));
  return Math.round(base * (2 / 3 + (random() * 2) / 3));
}
