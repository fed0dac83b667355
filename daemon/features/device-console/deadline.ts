/**
 * The time limits of a connection, one at a time. A request has three of them, so they share a timer, which stays when
 * one is stopped: when it fires, it is set again for the limit that holds then.
 */
export type Deadline = ReturnType<typeof createDeadline>;

export function createDeadline() {
  let ms = 0;
  let onLate: (() => void) | undefined;
  let at = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let firesAt = 0;

  const schedule = () => {
    clearTimeout(timer);
    firesAt = at;
    timer = setTimeout(look, at - performance.now());
  };
  function look(): void {
    timer = undefined;
    if (onLate === undefined) return;
    if (at > performance.now()) schedule();
    else {
      const late = onLate;
      onLate = undefined;
      late();
    }
  }
  return {
    /** Calls `late` once if neither `renew`, `stop` nor another `start` comes within this time. */
    start(limitMs: number, late: () => void): void {
      ms = limitMs;
      onLate = late;
      at = performance.now() + ms;
      if (timer === undefined || firesAt > at) schedule();
    },
    /** The time of the limit begins again. */
    renew(): void {
      at = performance.now() + ms;
    },
    stop(): void {
      onLate = undefined;
    },
    /** For the end of the connection. */
    close(): void {
      onLate = undefined;
      clearTimeout(timer);
    },
  };
}
