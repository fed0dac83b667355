/** The time that streams run by, and alarms in it; tests have one of their own. */
export interface AlarmClock {
  /** Milliseconds; never jumps. */
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
