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
const exactly = () => 1;

/** Returns for how long the process was not scheduled, from the delay of a timer; 0 for a usual delay. */
export const pauseOf = (lateMs: number): number => (lateMs > pausedMs ? lateMs : 0);

/** Returns after how many milliseconds to tick a heartbeat next; `tickMs` if it does not know. */
export const tickAfter = (idleUntil: number, now: number, tickMs: number): number =>
  // Timers leave out parts of a millisecond, and a tick too early would do nothing.
  idleUntil > now ? Math.ceil(idleUntil - now) : tickMs;

interface Ping {
  readonly nonce: number;
  at: number;
}

/** A class: as closures, its methods would be objects of each of thousands of links. */
export class Heartbeat {
  heardAt: number;
  lowestRttMs: number | undefined = undefined;
  private readonly timing: HeartbeatTiming;
  private readonly random: () => number;
  private quietMs: number;
  private lastNonce = 0;
  private pending: Ping | undefined = undefined;
  /** A ping that a user waits for. Other frames only move its deadline: they may have been sent long before. */
  private waited: Ping | undefined = undefined;
  private isWanted = false;
  private probedAt = Number.NEGATIVE_INFINITY;
  private answered = 0;

  /**
   * `random` returns numbers from 0 to 1. The first ping is sent after a random part of `pingMs`, so that links which were
   * opened together are not pinged together, and each later one up to 1/30 earlier than `pingMs`, so that links do not
   * stay together once a pause of a process has aligned them.
   */
  constructor(timing: HeartbeatTiming, start: number, random = exactly) {
    this.timing = timing;
    this.random = random;
    this.heardAt = start;
    this.quietMs = timing.pingMs * random();
  }

  ping(now: number): number {
    this.lastNonce = (this.lastNonce + 1) >>> 0;
    this.pending = { nonce: this.lastNonce, at: now };
    return this.lastNonce;
  }

  heard(now: number): void {
    this.heardAt = now;
  }

  /** Returns the nonce of the next ping if one is due at once. A nonce that was not asked for is ignored. */
  pong(nonce: number, now: number): number | undefined {
    const { pending } = this;
    if (this.waited?.nonce === nonce) this.waited = undefined;
    if (pending?.nonce !== nonce) return undefined;
    this.lowestRttMs = Math.min(this.lowestRttMs ?? Number.POSITIVE_INFINITY, now - pending.at);
    this.pending = undefined;
    this.answered += 1;
    return this.answered < firstPings ? this.ping(now) : undefined;
  }

  /** A user waits: returns the nonce of a ping, whose deadline is short, unless one is on its way; then one follows. */
  probe(now: number): number | undefined {
    this.isWanted = true;
    return this.probeNow(now);
  }

  /** Call from `idleUntil` on, twice per second. Returns the nonce of a ping that is due, or `dead`. */
  tick(now: number, paused: number): number | 'dead' | undefined {
    const { waited, timing } = this;
    this.heardAt += paused;
    if (waited !== undefined) waited.at += paused;
    if (now - this.heardAt >= timing.deadMs) return 'dead';
    if (waited !== undefined && now - Math.max(this.heardAt, waited.at) >= timing.probeMs) return 'dead';
    const nonce = this.probeNow(now);
    if (nonce !== undefined) return nonce;
    if (now - this.quietSince < this.quietMs) return undefined;
    this.quietMs = timing.pingMs * (1 - randomPart * (1 - this.random()));
    return this.ping(now);
  }

  /** Before this time, a tick does nothing, unless the process was paused or `probe` is called. */
  get idleUntil(): number {
    if (this.isWanted || this.waited !== undefined) return 0;
    return Math.min(this.quietSince + this.quietMs, this.heardAt + this.timing.deadMs);
  }

  private get quietSince(): number {
    return Math.max(this.heardAt, this.pending?.at ?? 0);
  }

  private probeNow(now: number): number | undefined {
    if (!this.isWanted || this.waited !== undefined || now - this.probedAt < leastProbeMs) return undefined;
    this.isWanted = false;
    this.probedAt = now;
    this.waited = { nonce: this.ping(now), at: now };
    return this.waited.nonce;
  }
}
