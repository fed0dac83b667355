/** The hub's side: takes the links of devices, asks whether to accept them, and opens streams to their ports. */
import type { Server, WebSocketHandler } from 'bun';
import { createEmitter } from '../lib/emitter.ts';
import type { Log } from '../lib/log.ts';
import { timing as ownTiming, type Timing } from '../timing.ts';
import { type LinkCode, type StreamCode, StreamError } from './codes.ts';
import { duplexOf, type Stream } from './duplex.ts';
import { maxMessageBytes } from './frames.ts';
import { type Claim, keepsLink, type RegistrationState } from './handshake.ts';
import { pauseOf } from './heartbeat.ts';
import { subprotocol } from './hub-socket.ts';
import type { Identity } from './identity.ts';
import type { LinkStream, Priority } from './link-stream.ts';
import type { OpenRequest } from './payloads.ts';
import { createServedLink, type ServedLink } from './served-link.ts';
import { createSocketBridges } from './socket-bridge.ts';

export type Admission =
  | { readonly state: RegistrationState }
  /** The device has to come again after a random time up to this. */
  | { readonly retryMs: number };

export interface LinkServerOptions {
  readonly identity: Identity;
  /** Hash of the certificate that the listener serves now; undefined without TLS. */
  readonly certificate: () => Uint8Array | undefined;
  /** Decides about a device that has proven its key. Link and device wait meanwhile, at most the handshake's time. */
  readonly accept: (claim: Claim, remote: string) => Admission | Promise<Admission>;
  /** Number of registered devices, with or without a link: after a restart they return over a time that grows with it. */
  readonly fleetSize: () => number;
  /** Path of a unix socket for this name, in a folder that only this user can enter. */
  readonly socketPath: (name: string) => string;
  readonly log: Log;
  readonly timing?: Timing['link'];
  readonly limits?: LinkServerLimits;
}

/** None of these needs an account. */
export interface LinkServerLimits {
  /** Connections that have not proven who they are. One address may have a quarter of them. */
  readonly greeting: number;
  /** Devices that wait to be accepted. */
  readonly waiting: number;
  /** Handshakes per second; each costs two signatures. The others are asked to come again. */
  readonly proofsPerSecond: number;
}

export interface OpenOptions {
  readonly kind: OpenRequest['kind'];
  readonly port?: number;
  readonly service?: string;
  readonly priority: Priority;
  readonly requestId?: string;
  readonly user?: string;
  /** Resets the stream with `cancelled`. */
  readonly signal?: AbortSignal;
}

export interface LinkStats {
  /** Accepted devices with a link. */
  readonly up: number;
  /** Devices that wait to be accepted. */
  readonly waiting: number;
  /** Connections that have not proven who they are. */
  readonly greeting: number;
  readonly streams: number;
  /** Unix sockets to ports of devices. */
  readonly sockets: number;
}

/** Data of a WebSocket; the link exists once the socket is open. */
export interface LinkSocketData {
  readonly remote: string;
  link: ServedLink | undefined;
}

const shippedLimits: LinkServerLimits = { greeting: 2048, waiting: 1024, proofsPerSecond: 500 };
/** So many devices per second come back after a restart of the hub. */
const returnsPerSecond = 200;
const busySpreadMs = 10_000;
/** Thousands of links are not ticked without a break: requests that arrive meanwhile would wait for them all. */
const linksPerTurn = 20;
const clock = () => performance.now();

export type LinkServer = ReturnType<typeof createLinkServer>;

export function createLinkServer(options: LinkServerOptions) {
  const { log, timing = ownTiming.link, limits = shippedLimits } = options;
  const up = createEmitter<[serial: string, generation: number]>();
  const down = createEmitter<[serial: string, generation: number, code: LinkCode]>();
  /** Every connection, and those of proven devices by serial number. */
  const all = new Set<ServedLink>();
  const proven = new Map<string, ServedLink>();
  /** Connections that have proven nothing yet, by address. */
  const greeting = new Map<string, number>();
  let waiting = 0;
  let generation = 0;
  let proofs = 0;
  let isClosing = false;
  const bridges = createSocketBridges({
    pathOf: options.socketPath,
    idleMs: timing.bridgeIdleMs,
    open: (serial, port) => openStream(serial, { kind: 'tcp', port, priority: 'interactive' }),
  });

  let tickedAt = clock();
  let isTicking = false;
  async function tick(): Promise<void> {
    if (isTicking) return;
    isTicking = true;
    const now = clock();
    const paused = pauseOf(now - tickedAt - timing.tickMs);
    tickedAt = now;
    let ticked = 0;
    // Thousands of links are at rest: to look at each of them would cost more than all of their pings.
    for (const link of all) {
      if (link.checkAt > now && paused === 0) continue;
      link.tick(clock(), paused);
      ticked += 1;
      if (ticked % linksPerTurn === 0) await new Promise(setImmediate);
    }
    isTicking = false;
  }
  const ticker = setInterval(() => void tick(), timing.tickMs);
  const proofTicker = setInterval(() => {
    proofs = 0;
  }, 1000);

  function countGreeting(remote: string, change: number): void {
    const count = (greeting.get(remote) ?? 0) + change;
    if (count > 0) greeting.set(remote, count);
    else greeting.delete(remote);
  }

  function mayGreet(remote: string): boolean {
    const ofAddress = greeting.get(remote) ?? 0;
    return ofAddress < limits.greeting / 4 && all.size - proven.size < limits.greeting;
  }

  const spreadMs = () =>
    Math.min(3_600_000, Math.ceil((Math.max(proven.size, options.fleetSize()) / returnsPerSecond) * 1000));

  function openStream(serial: string, request: OpenRequest): LinkStream | StreamCode {
    const link = proven.get(serial);
    if (link === undefined) return 'offline';
    link.core.probe(clock());
    link.checkAt = 0;
    return link.core.open(request);
  }

  async function decide(link: ServedLink, claim: Claim): Promise<void> {
    let admission: Admission;
    try {
      admission = await options.accept(claim, link.remote);
    } catch (error) {
      log.error('a registration failed', { serial: claim.serial, reason: String(error) });
      link.core.end('busy', 'the registration failed');
      return;
    }
    if (link.core.phase === 'ended') return;
    if ('retryMs' in admission) {
      putOff(link, admission.retryMs, 'too many attempts');
      return;
    }
    let { state } = admission;
    const older = proven.get(claim.serial);
    // The registration knows the key of each device; this is the last check.
    if (older !== undefined && older.claim?.key !== claim.key && keepsLink.has(state)) state = 'exists';
    if (state !== 'accepted' && keepsLink.has(state) && older === undefined && waiting >= limits.waiting) {
      putOff(link, busySpreadMs, 'too many devices wait');
      return;
    }
    if (keepsLink.has(state)) replace(older, link, claim.serial);
    settle(link, state);
  }

  function putOff(link: ServedLink, spreadMs: number, reason: string): void {
    link.goAway('busy', spreadMs);
    link.core.end('busy', reason);
  }

  function replace(older: ServedLink | undefined, link: ServedLink, serial: string): void {
    if (older !== undefined) {
      older.goAway('replaced', 0);
      older.core.end('replaced', 'a newer link of this device');
    }
    proven.set(serial, link);
  }

  /** Tells the device its state, and acts on it. */
  function settle(link: ServedLink, state: RegistrationState): void {
    const { claim } = link;
    if (claim === undefined || link.core.phase === 'ended') return;
    const was = link.state;
    if (was === state) return;
    link.setState(state, spreadMs());
    if (isWaiting(was)) waiting -= 1;
    if (isWaiting(state)) waiting += 1;
    const isKept = keepsLink.has(state) && was !== 'accepted';
    log.info('device', { serial: claim.serial, state, remote: link.remote });
    if (state === 'accepted') {
      generation += 1;
      link.generation = generation;
      up.emit(claim.serial, generation);
    } else if (!isKept) link.core.end('refused', state);
  }

  function ended(link: ServedLink, code: LinkCode, message: string): void {
    all.delete(link);
    const { claim, state } = link;
    if (claim === undefined) countGreeting(link.remote, -1);
    log.debug('link ended', { serial: claim?.serial, remote: link.remote, code, message });
    if (claim === undefined) return;
    if (isWaiting(state) && proven.get(claim.serial) === link) waiting -= 1;
    if (proven.get(claim.serial) === link) proven.delete(claim.serial);
    if (link.generation > 0) down.emit(claim.serial, link.generation, code);
  }

  const websocket: WebSocketHandler<LinkSocketData> = {
    maxPayloadLength: maxMessageBytes,
    idleTimeout: 60,
    sendPings: false,
    perMessageDeflate: false,
    open(socket) {
      const link = createServedLink({
        socket,
        identity: options.identity,
        certificate: options.certificate(),
        timing,
        mayProve: () => ++proofs <= limits.proofsPerSecond,
        busySpreadMs,
        onProven(claim) {
          countGreeting(link.remote, -1);
          void decide(link, claim);
        },
        onEnded: (code, message) => ended(link, code, message),
      });
      socket.data.link = link;
      all.add(link);
      countGreeting(link.remote, 1);
    },
    message: (socket, message) => socket.data.link?.receive(message),
    drain: (socket) => socket.data.link?.drained(),
    close: (socket, code, reason) => socket.data.link?.core.endWith(code, reason || 'the connection broke'),
  };

  return {
    /** For `Bun.serve`. */
    websocket,
    /** Upgrades a request for the link. Returns the response if that is not possible. */
    upgrade(request: Request, server: Server<LinkSocketData>, remote: string): Response | undefined {
      const offered = (request.headers.get('sec-websocket-protocol') ?? '').split(',').map((each) => each.trim());
      if (!offered.includes(subprotocol)) return new Response(`use WebSocket with ${subprotocol}`, { status: 426 });
      // Agents send no origin; a page in a browser must not reach this.
      if (request.headers.has('origin')) return new Response('not for browsers', { status: 403 });
      if (isClosing || !mayGreet(remote)) return new Response('busy', { status: 503 });
      const data: LinkSocketData = { remote, link: undefined };
      const isUpgraded = server.upgrade(request, { data, headers: { 'sec-websocket-protocol': subprotocol } });
      return isUpgraded ? undefined : new Response('not a WebSocket', { status: 400 });
    },
    /** Called with each device that is accepted and has a link. Returns a function that ends the subscription. */
    onUp: up.on,
    /** Called when that link has ended. A newer generation of the device may be up already. */
    onDown: down.on,
    /** Returns whether the device has a link and is accepted. */
    isUp: (serial: string): boolean => proven.get(serial)?.state === 'accepted',
    /** Tells a device that has a link its new state. Returns false without a link. */
    setState(serial: string, state: RegistrationState): boolean {
      const link = proven.get(serial);
      if (link !== undefined) settle(link, state);
      return link !== undefined;
    },
    /** Opens a stream. Rejects with StreamError: `offline` without a link, `busy` at the limit, `cancelled` by `signal`. */
    async open(serial: string, { signal, ...request }: OpenOptions): Promise<Stream> {
      if (signal?.aborted === true) throw new StreamError('cancelled');
      const opened = openStream(serial, request);
      if (typeof opened === 'string') throw new StreamError(opened);
      const stream = duplexOf(opened);
      const cancel = () => stream.reset('cancelled');
      signal?.addEventListener('abort', cancel, { once: true });
      void stream.closed.then(() => signal?.removeEventListener('abort', cancel));
      return stream;
    },
    /** Opens a stream to a TCP port of the device; a code if that is not possible. */
    openPort: (serial: string, port: number, more: Pick<OpenRequest, 'priority' | 'user'>): LinkStream | StreamCode =>
      openStream(serial, { kind: 'tcp', port, ...more }),
    /**
     * Path of a unix socket to a TCP port of the device, for `fetch({ unix })` and `ws+unix:`. It exists for a minute
     * after this call, and as long as it has connections. Without a link, connections to it are closed at once.
     */
    socketPath: (serial: string, port: number): string => bridges.pathTo(serial, port),
    /** Ends the link of a device, which may dial again. */
    close(serial: string, reason: 'closed' | 'refused'): void {
      proven.get(serial)?.core.end(reason, 'ended by the hub');
    },
    stats(): LinkStats {
      let streams = 0;
      for (const { core } of all) streams += core.stats().streams;
      const ready = proven.size - waiting;
      return { up: ready, waiting, greeting: all.size - proven.size, streams, sockets: bridges.size };
    },
    /** Ends all links. Devices come back after a random time that grows with their number. */
    stop(): void {
      isClosing = true;
      clearInterval(ticker);
      clearInterval(proofTicker);
      bridges.close();
      const returnMs = spreadMs();
      for (const link of [...all]) {
        if (link.claim !== undefined) link.goAway('stopping', returnMs);
        link.core.end('closed', 'the hub is shutting down');
      }
    },
  };
}

const isWaiting = (state: RegistrationState | undefined) =>
  state !== undefined && state !== 'accepted' && keepsLink.has(state);
