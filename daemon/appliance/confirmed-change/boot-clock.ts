/** The clock since the machine started, which setting the time does not move. */
import { readFileSync } from 'node:fs';

export interface BootClock {
  /** Seconds since the machine started. */
  readonly seconds: () => number;
  /** A different text after each start of the machine. */
  readonly bootId: () => string;
}

export const bootClock: BootClock = {
  seconds: () => Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]),
  bootId: () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
};
