/** Passes the messages of a core to its socket, as long as the socket takes them. */

export interface PumpOptions {
  /** Returns the next message, valid until the next call. */
  readonly next: () => Uint8Array | undefined;
  /** Copies the message. Returns false if the socket takes no more for now; it has this one in any case. */
  readonly send: (message: Uint8Array) => boolean;
}

export function createPump({ next, send }: PumpOptions) {
  let isBlocked = false;
  let blockedAt = 0;
  let isScheduled = false;

  function flush(): void {
    isScheduled = false;
    while (!isBlocked) {
      const message = next();
      if (message === undefined) return;
      isBlocked = !send(message);
      blockedAt = performance.now();
    }
  }

  return {
    /** Sends soon: what all streams write in one turn of the event loop shares a message. */
    wake(): void {
      if (isScheduled || isBlocked) return;
      isScheduled = true;
      setImmediate(flush);
    },
    /** Sends at once. */
    flush,
    /** The socket takes messages again. */
    drained(): void {
      isBlocked = false;
      flush();
    },
    /** For how long the socket has taken nothing, in milliseconds. */
    get blockedMs() {
      return isBlocked ? performance.now() - blockedAt : 0;
    },
  };
}
