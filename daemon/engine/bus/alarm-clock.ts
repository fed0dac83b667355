/** Monotonic clock and timers for stream code. Tests supply their own. */
export interface AlarmClock {
  /** Monotonic time in milliseconds. */
  now(): number;
  after(ms: number, call: () => void): { cancel(): void };
}

export const realClock: AlarmClock = {
  now: () => performance.now(),
  after(ms, call) {
    const timer = setTimeout(call, ms);
    return { cancel: () => clearTimeout(timer) };
  },
};
