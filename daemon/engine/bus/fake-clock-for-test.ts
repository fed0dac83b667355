/** A clock that stands still until a test advances it. */
import type { AlarmClock } from './alarm-clock.ts';

export interface FakeClock extends AlarmClock {
  /** Advances the time, timer by timer. */
  pass(ms: number): void;
}

export function createFakeClock(): FakeClock {
  let now = 1000;
  let alarms: { at: number; call: () => void }[] = [];
  return {
    now: () => now,
    after(ms, call) {
      const alarm = { at: now + ms, call };
      alarms.push(alarm);
      return {
        cancel() {
          alarms = alarms.filter((one) => one !== alarm);
        },
      };
    },
    pass(ms) {
      const until = now + ms;
      for (;;) {
        const [next] = alarms.filter(({ at }) => at <= until).toSorted((a, b) => a.at - b.at);
        if (!next) break;
        alarms = alarms.filter((one) => one !== next);
        now = Math.max(now, next.at);
        next.call();
      }
      now = until;
    },
  };
}
