/** The places of a TCP listener, and who gets one when they are few. A connection that carries a stream is never touched. */
import { timing } from '../timing.ts';
import type { Callers } from './callers.ts';

export interface Guest {
  /** Since when it carries no stream and is not made to wait for an answer, on the clock of the listener. */
  readonly idleSince: number | undefined;
  close(reason: string): void;
}

interface ListenerPlacesOptions {
  readonly most: number;
  readonly boundKey: Callers['boundKey'];
  readonly now: () => number;
}

/** Idle connections of one address; programs on this machine and trusted proxies may have more. */
export const mostIdlePerAddress = 16;
/** From this share of the places on, idle connections end sooner. */
const crowdedShare = 3 / 4;

export class ListenerPlaces<G extends Guest> {
  private readonly options: ListenerPlacesOptions;
  /** With what its idle connections are counted by; the oldest first. */
  private readonly places = new Map<G, string>();

  constructor(options: ListenerPlacesOptions) {
    this.options = options;
  }

  get size(): number {
    return this.places.size;
  }

  [Symbol.iterator](): IterableIterator<G> {
    return this.places.keys();
  }

  /**
   * The bound for which a connection from this address is refused, if any. When all places are taken, the oldest idle
   * connection of the address that has the most of them ends for one of an address that has fewer.
   */
  refuse(address: string): string | undefined {
    const { most, boundKey } = this.options;
    const idle = this.idleByKey();
    const own = idle.get(boundKey(address) ?? address)?.length ?? 0;
    if (boundKey(address) !== undefined && own >= mostIdlePerAddress) {
      return `${own} connections of this address neither publish nor play`;
    }
    if (this.size < most) return undefined;
    const largest = [...idle.values()].reduce((a, b) => (b.length > a.length ? b : a), []);
    const [oldest] = largest;
    if (oldest === undefined || largest.length <= own) return `all ${most} places are taken`;
    this.delete(oldest);
    oldest.close('its place is needed by another address');
    return undefined;
  }

  add(address: string, guest: G): void {
    this.places.set(guest, this.options.boundKey(address) ?? address);
  }

  delete(guest: G): void {
    this.places.delete(guest);
  }

  clear(): void {
    this.places.clear();
  }

  /** Once a second. */
  tick(): void {
    const { most, now } = this.options;
    if (this.size < most * crowdedShare) return;
    const since = now() - timing.tcp.crowdedIdleMs;
    for (const guest of [...this]) {
      if (guest.idleSince !== undefined && guest.idleSince <= since) guest.close('idle while places are few');
    }
  }

  private idleByKey(): Map<string, G[]> {
    const idle = new Map<string, G[]>();
    for (const [guest, key] of this.places) {
      if (guest.idleSince === undefined) continue;
      const list = idle.get(key);
      if (list) list.push(guest);
      else idle.set(key, [guest]);
    }
    return idle;
  }
}
