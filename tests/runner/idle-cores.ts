/** Whether the machine could do more: a job that mostly waits takes a different share of a core on each machine. */
import { setTimeout as delay } from 'node:timers/promises';

/** Long enough to include the pauses of a job, and the start of the one before. */
const windowMs = 3000;
/** What a job that mostly waits takes. */
const spareCores = 0.3;

/** Resolves when so much of the machine was idle during one window. `busySeconds` counts up, over all cores. */
export async function untilCoresIdle(cores: number, busySeconds: () => number, window = windowMs): Promise<void> {
  for (;;) {
    const [began, busy] = [performance.now(), busySeconds()];
    await delay(window);
    const seconds = (performance.now() - began) / 1000;
    if (cores - (busySeconds() - busy) / seconds >= spareCores) return;
  }
}
