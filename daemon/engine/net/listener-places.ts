/** Connection limits of a TCP listener, and who is admitted near them. A connection with a stream is never closed. */
import type { Socket, TCPSocketListener } from 'bun';
import { plainAddress } from '../../lib/local-network.ts';
import { timing } from '../../timing.ts';
import { type Callers, peerName } from './callers.ts';

export interface Guest {
  /** Since when it has neither carried a stream nor waited for a reply, on the listener's clock. */
  readonly idleSince: number | undefined;
  close(reason: string): void;
}

/** The session of an accepted connection. */
export interface SocketGuest extends Guest {
  receive(bytes: Buffer): void;
  /** The socket has room again. */
  drain(): void;
  /** The socket is gone. */
  closed(error?: Error): void;
}

export interface Accepted {
  readonly socket: Socket<unknown>;
  /** IP addresses of both ends. */
  readonly local: string;
  readonly address: string;
  /** Address and port of the peer, for lists and logs. */
  readonly peer: string;
}

interface ListenerPlacesOptions {
  readonly max: number;
  readonly boundKey: Callers['boundKey'];
  readonly now: () => number;
}

/** Idle connections of one address; programs on this machine and trusted proxies may have more. */
const maxIdlePerAddress = 16;
/** Once this share of the places is taken, idle connections end sooner. */
const crowdedShare = 3 / 4;

export class ListenerPlaces<G extends Guest> {
  private readonly options: ListenerPlacesOptions;
  /** With the key that its idle connections are counted by; the oldest first. */
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
   * Returns the limit for which a connection from this address is refused, if any. When all places are taken, the
   * oldest idle connection of the address with the most is closed for an address with fewer.
   */
  refuse(address: string): string | undefined {
    const { max, boundKey } = this.options;
    const idle = this.idleByKey();
    const own = idle.get(boundKey(address) ?? address)?.length ?? 0;
    if (boundKey(address) !== undefined && own >= maxIdlePerAddress) {
      return `${own} connections of this address neither publish nor play`;
    }
    if (this.size < max) return undefined;
    const largest = [...idle.values()].reduce((a, b) => (b.length > a.length ? b : a), []);
    const [oldest] = largest;
    if (oldest === undefined || largest.length <= own) return `all ${max} places are taken`;
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

  /** Called once per second. */
  tick(): void {
    const { max, now } = this.options;
    if (this.size < max * crowdedShare) return;
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

/**
 * Listens, and opens a session for each connection that has a place. Throws if the port is not available (error code
 * EADDRINUSE, EACCES, ...).
 */
export function listenWithPlaces<G extends SocketGuest>(
  { hostname, port }: { readonly hostname: string; readonly port: number },
  places: ListenerPlaces<G>,
  { open, refused }: { open(accepted: Accepted): G; refused(peer: string, reason: string): void },
): TCPSocketListener<{ guest?: G }> {
  const accept = (socket: Socket<{ guest?: G }>) => {
    socket.data = {};
    const peer = peerName(socket);
    const address = plainAddress(socket.remoteAddress);
    const reason = places.refuse(address);
    if (reason !== undefined) {
      refused(peer, reason);
      socket.terminate();
      return;
    }
    socket.setNoDelay(true);
    socket.setKeepAlive(true, timing.tcp.keepAliveMs);
    const guest = open({ socket, local: plainAddress(socket.localAddress), address, peer });
    socket.data.guest = guest;
    places.add(address, guest);
  };
  const leave = ({ data: { guest } }: Socket<{ guest?: G }>, error?: Error) => {
    if (!guest) return;
    places.delete(guest);
    guest.closed(error);
  };
  return Bun.listen<{ guest?: G }>({
    hostname,
    port,
    socket: {
      open: accept,
      data: (socket, bytes) => socket.data.guest?.receive(bytes),
      drain: (socket) => socket.data.guest?.drain(),
      close: leave,
      error: leave,
    },
  });
}
