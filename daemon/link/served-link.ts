/** One WebSocket of the listening side: its core, its handshake, and what the hub decided about its device. */
import type { ServerWebSocket } from 'bun';
import type { Timing } from '../timing.ts';
import { type LinkCode, LinkFault, linkCodes } from './codes.ts';
import { createLinkCore, type LinkCore, limitsOf, type PeerLimits } from './core.ts';
import { lastStreamId } from './frames.ts';
import { type Claim, createListenerHandshake, keepsLink, type RegistrationState } from './handshake.ts';
import type { Identity } from './identity.ts';
import type { GoAway } from './payloads.ts';
import { createPump } from './pump.ts';
import type { ReceiveLimits } from './receive-window.ts';

export interface ServedLink {
  readonly core: LinkCore;
  readonly remote: string;
  /** Of a device that has proven its key. */
  readonly claim: Claim | undefined;
  readonly state: RegistrationState | undefined;
  /** Above 0 once the device was accepted. */
  generation: number;
  receive(message: string | Uint8Array): void;
  drained(): void;
  /** Call from `checkAt` on, twice per second. `paused`: as `pauseOf` returns it. */
  tick(now: number, paused: number): void;
  /** 0: with the next tick. A user who waits for the device sets it. */
  checkAt: number;
  /** Tells the device its state. */
  setState(state: RegistrationState, spreadMs: number): void;
  /** Asks the device to dial again; the link should end soon. */
  goAway(reason: GoAway['reason'], spreadMs: number): void;
}

interface ServedLinkOptions {
  readonly socket: ServerWebSocket<{ readonly remote: string }>;
  readonly identity: Identity;
  readonly certificate: Uint8Array | undefined;
  readonly timing: Timing['link'];
  /** Whether one more handshake may be computed now. */
  readonly mayProve: () => boolean;
  readonly busySpreadMs: number;
  readonly onProven: (claim: Claim) => void;
  readonly onEnded: (code: LinkCode, message: string) => void;
}

/** Initial windows take half of the memory that one link may use. */
const hubLimits: ReceiveLimits = { totalBytes: 32 << 20, streams: 256, initialBytes: 64 << 10 };
const clock = () => performance.now();

export function createServedLink({ socket, timing, ...options }: ServedLinkOptions): ServedLink {
  const { identity, certificate } = options;
  const handshake = createListenerHandshake({ identity, certificate });
  let claim: Claim | undefined;
  let state: RegistrationState | undefined;
  let ofPeer: PeerLimits | undefined;

  function onHello(payload: Uint8Array): void {
    if (options.mayProve()) {
      core.greet('challenge', handshake.onHello(payload));
      return;
    }
    core.leave({ reason: 'busy', spreadMs: options.busySpreadMs });
    pump.flush();
    throw new LinkFault('busy', 'too many devices connect at once');
  }

  function onProof(payload: Uint8Array): void {
    const proof = handshake.onProof(payload);
    claim = proof.claim;
    ofPeer = proof.limits;
    options.onProven(claim);
  }

  const core = createLinkCore({
    side: 'listener',
    limits: hubLimits,
    timing,
    now: clock(),
    lastId: lastStreamId,
    events: {
      handshake: (type, payload) => (type === 'hello' ? onHello(payload) : onProof(payload)),
      // Only the hub opens streams.
      opened: (stream) => stream.reset('notPermitted'),
      goAway: () => core.end('closed', 'the device goes away'),
      wake: () => pump.wake(),
      ended(code, message) {
        // Streams are over already; what the socket still holds is sent before the close frame.
        if (code === 'silent' || code === 'lost') socket.terminate();
        else socket.close(linkCodes[code], code);
        options.onEnded(code, message);
      },
    },
  });
  const pump = createPump({
    next: core.next,
    send: (message) => {
      const sent = socket.sendBinary(message);
      // 0: the socket is closed or has dropped the message. Its close event ends the link; a gap must not go unnoticed.
      if (sent === 0) setImmediate(() => core.end('lost', 'the socket dropped a message'));
      return sent > 0;
    },
  });

  return {
    core,
    remote: socket.data.remote,
    get claim() {
      return claim;
    },
    get state() {
      return state;
    },
    generation: 0,
    receive(message) {
      // A text message has no frames: the core ends the link.
      core.receive(typeof message === 'string' ? Uint8Array.of(0) : message, clock());
    },
    drained: () => pump.drained(),
    checkAt: 0,
    tick(now, paused) {
      core.tick(now, paused);
      const { blockedMs } = pump;
      // It may still send: its streams would wait forever.
      if (blockedMs >= timing.deadMs) core.end('silent', 'the device reads nothing');
      this.checkAt = blockedMs > 0 ? 0 : core.idleUntil;
    },
    setState(next, spreadMs) {
      if (ofPeer === undefined) return;
      state = next;
      core.greet('welcome', { state, limits: limitsOf(hubLimits), spreadMs });
      if (keepsLink.has(next)) core.enter(next === 'accepted' ? 'open' : 'waiting', ofPeer);
      pump.flush();
    },
    goAway(reason, spreadMs) {
      core.leave({ reason, spreadMs });
      pump.flush();
    },
  };
}
