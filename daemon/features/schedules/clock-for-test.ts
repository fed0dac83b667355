import type { ScheduleClock } from './clock.ts';

export interface TestClock extends ScheduleClock {
  /** Lets time pass, with the timers that come due. */
  to(iso: string): void;
  /** The clock is set, or the hub was off: no timer comes due. */
  set(iso: string): void;
  /** Whether a timer waits. */
  isArmed(): boolean;
}

export function testClock(start: string, zone = 'UTC'): TestClock {
  let now = Date.parse(start);
  let timer: { at: number; readonly then: () => void } | undefined;
  return {
    now: () => now,
    zone: () => zone,
    after(ms, then) {
      const own = { at: now + ms, then };
      timer = own;
      return () => {
        if (timer === own) timer = undefined;
      };
    },
    to(iso) {
      const end = Date.parse(iso);
      for (let due = timer; due !== undefined && due.at <= end; due = timer) {
        timer = undefined;
        now = due.at;
        due.then();
      }
      now = end;
    },
    set(iso) {
      const before = now;
      now = Date.parse(iso);
      // What a timer waits for does not depend on what the clock shows.
      if (timer !== undefined) timer.at += now - before;
    },
    isArmed: () => timer !== undefined,
  };
}
