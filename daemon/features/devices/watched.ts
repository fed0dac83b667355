/** Devices that somebody looks at, which are polled every second. Each look lasts for a short time. */
import type { Fleet } from '../../devices/report.ts';

/** Longer than the time between two looks: pages ask every 2 s, preview streams every 400 ms. */
const lookMs = 5000;

interface Held {
  readonly release: () => void;
  timer: Timer;
}

export function createWatched(hold: Fleet['hold']) {
  const held = new Map<string, Held>();

  function end(sn: string): void {
    const one = held.get(sn);
    if (one === undefined) return;
    held.delete(sn);
    clearTimeout(one.timer);
    one.release();
  }

  return {
    look(sn: string): void {
      const one = held.get(sn);
      if (one === undefined) held.set(sn, { release: hold([sn]), timer: setTimeout(end, lookMs, sn) });
      else one.timer.refresh();
    },
    close(): void {
      for (const sn of [...held.keys()]) end(sn);
    },
  };
}
