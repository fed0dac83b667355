/** Decides when to ping and when a link is dead, and keeps the lowest round trip. */

export interface HeartbeatTiming {
  /** After this much silence a ping is sent. */
  readonly pingMs: number;
  /** After this much silence the link is dead. */
  readonly deadMs: number;
  /** The same after `probe`, while a user waits. */
  readonly probeMs: number;
}

/** A process that was not scheduled for this long must first read what arrived in the meantime. */
const pausedMs = 5000;
/** The first pings are sent one after the other: code that runs for the first time makes a round trip look long. */
const firstPings = 3;
/** Users who open many streams cause no more pings than this. */
const leastProbeMs = 250;
/** The part of the interval between pings that is random. */
const randomPart = 1 / 30;

/** Returns for how long the process was not scheduled, from the delay of a timer; 0 for a usual delay. */
export const pauseOf = (lateMs: number): number => (lateMs > pausedMs ? lateMs : 0);

/** Returns after how many milliseconds to tick a heartbeat next; `tickMs` if it does not know. */
export const tickAfter = (idleUntil: number, now: number, tickMs: number): number =>
  // Timers leave out parts of a millisecond, and a tick too early would do nothing.
  idleUntil > now ? Math.ceil(idleUntil - now) : tickMs;

/**
 * `random` returns numbers from 0 to 1. The first ping is sent after a random part of `pingMs`, so that links which were
 * opened together are not pinged together, and each later one up to 1/30 earlier than `pingMs`, so that links do not stay
 * together once a pause of a process has aligned them.
 */
export function createHeartbeat({ pingMs, deadMs, probeMs }: HeartbeatTiming, start: number, random = () => 1) {
  let quietMs = pingMs * random();
  let heardAt = start;
  let lastNonce = 0;
  let pending: { readonly nonce: number; at: number } | undefined;
  /** A ping that a user waits for. Other frames only move its deadline: they may have been sent long before. */
  let probe: typeof pending;
  let isWanted = false;
  let probedAt = Number.NEGATIVE_INFINITY;
  let answered = 0;
  let lowestRttMs: number | undefined;

  function ping(now: number): number {
    lastNonce = (lastNonce + 1) >>> 0;
    pending = { nonce: lastNonce, at: now };
    return lastNonce;
  }

  function probeNow(now: number): number | undefined {
    if (!isWanted || probe !== undefined || now - probedAt < leastProbeMs) return undefined;
    isWanted = false;
    probedAt = now;
    probe = { nonce: ping(now), at: now };
    return probe.nonce;
  }

  return {
    ping,
    heard(now: number): void {
      heardAt = now;
    },
    /** Returns the nonce of the next ping if one is due at once. A nonce that was not asked for is ignored. */
    pong(nonce: number, now: number): number | undefined {
      if (probe?.nonce === nonce) probe = undefined;
      if (pending?.nonce !== nonce) return undefined;
      lowestRttMs = Math.min(lowestRttMs ?? Number.POSITIVE_INFINITY, now - pending.at);
      pending = undefined;
      answered += 1;
      return answered < firstPings ? ping(now) : undefined;
    },
    /** A user waits: returns the nonce of a ping, whose deadline is short, unless one is on its way; then one follows. */
    probe(now: number): number | undefined {
      isWanted = true;
      return probeNow(now);
    },
    /** Call from `idleUntil` on, twice per second. Returns the nonce of a ping that is due, or `dead`. */
    tick(now: number, paused: number): number | 'dead' | undefined {
      heardAt += paused;
      if (probe !== undefined) probe.at += paused;
      if (now - heardAt >= deadMs) return 'dead';
      if (probe !== undefined && now - Math.max(heardAt, probe.at) >= probeMs) return 'dead';
      const quietSince = Math.max(heardAt, pending?.at ?? 0);
      const nonce = probeNow(now);
      if (nonce !== undefined) return nonce;
      if (now - quietSince < quietMs) return undefined;
      quietMs = pingMs * (1 - randomPart * (1 - random()));
      return ping(now);
    },
    /** Before this time, a tick does nothing, unless the process was paused or `probe` is called. */
    get idleUntil() {
      if (isWanted || probe !== undefined) return 0;
      return Math.min(Math.max(heardAt, pending?.at ?? 0) + quietMs, heardAt + deadMs);
    },
    get lowestRttMs() {
      return lowestRttMs;
    },
    get heardAt() {
      return heardAt;
    },
  };
}
