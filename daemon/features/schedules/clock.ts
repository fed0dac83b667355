/** Tests have one of their own. */
export interface ScheduleClock {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Name of the time zone of the hub, such as `Europe/Berlin`. */
  readonly zone: () => string;
  /** Calls back once, unless the returned function is called before. */
  readonly after: (ms: number, then: () => void) => () => void;
}

/** In the time zone of the system. */
export const systemClock: ScheduleClock = {
  now: () => Date.now(),
  zone: () => Temporal.Now.timeZoneId(),
  after(ms, then) {
    const timer = setTimeout(then, ms);
    return () => clearTimeout(timer);
  },
};
