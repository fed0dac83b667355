/** Two cores that exchange messages in memory, with a clock of their own. */
import type { LinkCode } from './codes.ts';
import { type CoreOptions, createLinkCore, type LinkCore, limitsOf, type PeerLimits } from './core.ts';
import { lastStreamId } from './frames.ts';
import type { LinkStream, StreamUser } from './link-stream.ts';
import type { GoAway, OpenRequest } from './payloads.ts';
import type { ReceiveLimits } from './receive-window.ts';

export const coreTiming = {
  pingMs: 15_000,
  deadMs: 40_000,
  probeMs: 5000,
  handshakeMs: 10_000,
};
export const hubReceives: ReceiveLimits = { totalBytes: 32 << 20, streams: 256, initialBytes: 64 << 10 };
export const deviceReceives: ReceiveLimits = { totalBytes: 4 << 20, streams: 256, initialBytes: 8 << 10 };
export const toPort = (port: number, priority: OpenRequest['priority'] = 'interactive'): OpenRequest => ({
  kind: 'tcp',
  port,
  priority,
});
export const silentUser: StreamUser = { readable: () => {}, writable: () => {}, closed: () => {} };

export interface Side {
  readonly core: LinkCore;
  readonly opened: { readonly stream: LinkStream; readonly request: OpenRequest }[];
  readonly goAways: GoAway[];
  ended: { readonly code: LinkCode; readonly message: string } | undefined;
  isAwake: boolean;
}

interface SideOptions {
  readonly limits?: ReceiveLimits;
  readonly timing?: CoreOptions['timing'];
  readonly lastId?: number;
  readonly handshake?: CoreOptions['events']['handshake'];
}

export function createSide(side: CoreOptions['side'], now: number, options: SideOptions = {}): Side {
  const { limits = side === 'dialer' ? deviceReceives : hubReceives, timing = coreTiming } = options;
  const self: Side = {
    opened: [],
    goAways: [],
    ended: undefined,
    isAwake: false,
    core: createLinkCore({
      side,
      limits,
      timing,
      now,
      lastId: options.lastId ?? lastStreamId,
      events: {
        handshake: options.handshake ?? (() => {}),
        opened: (stream, request) => void self.opened.push({ stream, request }),
        goAway: (request) => void self.goAways.push(request),
        wake: () => {
          self.isAwake = true;
        },
        ended: (code, message) => {
          self.ended = { code, message };
        },
      },
    }),
  };
  return self;
}

/** A hub, which listens, and a device, which dialed it, past the handshake. */
export function createPair(
  limits: { readonly hub?: ReceiveLimits; readonly device?: ReceiveLimits } = {},
  timing = coreTiming,
) {
  const { hub: ofHub = hubReceives, device: ofDevice = deviceReceives } = limits;
  let now = 0;
  const hub = createSide('listener', now, { limits: ofHub, timing });
  const device = createSide('dialer', now, { limits: ofDevice, timing });
  const pair = {
    hub,
    device,
    get now() {
      return now;
    },
    /** Delivers messages until there are none. */
    settle(): void {
      while (deliver(hub, device, now) || deliver(device, hub, now));
    },
    /** Lets time pass in steps of half a second, without messages unless `withMessages`. */
    pass(ms: number, withMessages = true): void {
      for (const end = now + ms; now < end; ) {
        now = Math.min(end, now + 500);
        for (const { core } of [hub, device]) core.tick(now);
        if (withMessages) pair.settle();
      }
    },
    /** The stream that the hub opens, and the device's end of it. */
    open(request: OpenRequest = toPort(80)): [LinkStream, LinkStream] {
      const stream = hub.core.open(request);
      if (typeof stream === 'string') throw new Error(stream);
      pair.settle();
      const other = device.opened.at(-1)?.stream;
      if (other === undefined) throw new Error('the stream was not opened');
      return [stream, other];
    },
  };
  greet(hub, device, now);
  enter(hub, device, { hub: limitsOf(ofHub), device: limitsOf(ofDevice) });
  pair.settle();
  return pair;
}

function greet(hub: Side, device: Side, now: number): void {
  for (const [from, to, type] of [
    [device, hub, 'hello'],
    [hub, device, 'challenge'],
    [device, hub, 'proof'],
    [hub, device, 'welcome'],
  ] as const) {
    from.core.greet(type, {});
    deliver(from, to, now);
  }
}

function enter(hub: Side, device: Side, limits: { readonly hub: PeerLimits; readonly device: PeerLimits }): void {
  hub.core.enter('open', limits.device);
  device.core.enter('open', limits.hub);
}

/** Moves one message. Returns false if there was none. */
export function deliver(from: Side, to: Side, now: number): boolean {
  const message = from.core.next()?.slice();
  if (message === undefined) return false;
  to.core.receive(message, now);
  return true;
}

/** Reads everything that has arrived. */
export function readAll(stream: LinkStream): Uint8Array {
  const chunks: Uint8Array[] = [];
  for (let chunk = stream.read(); chunk !== undefined; chunk = stream.read()) chunks.push(chunk);
  return Buffer.concat(chunks);
}
