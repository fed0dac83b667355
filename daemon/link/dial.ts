/** The device's side: dials the hub, proves who it is, and dials again whenever the link ends. */
import type { Timing } from '../timing.ts';
import { timing as ownTiming } from '../timing.ts';
import { type LinkCode, LinkFault, linkCodes } from './codes.ts';
import { createLinkCore, limitsOf } from './core.ts';
import { lastStreamId } from './frames.ts';
import { createDialerHandshake, keepsLink, type OwnClaim, type RegistrationState, type Welcome } from './handshake.ts';
import { pauseOf, tickAfter } from './heartbeat.ts';
import { fetchCertificate, openHubSocket } from './hub-socket.ts';
import type { Identity } from './identity.ts';
import { createLocalPorts, onThisMachine, type PortPlace } from './local-ports.ts';
import { createPump } from './pump.ts';
import type { ReceiveLimits } from './receive-window.ts';
import { createReconnect, type Outcome } from './reconnect.ts';

export type DialState =
  | { readonly name: 'connecting' }
  /** The hub's answer to the registration; `hubKey` identifies the hub. */
  | { readonly name: RegistrationState; readonly hubKey: string }
  /** No link. `message` describes why, without secrets. */
  | { readonly name: 'retrying'; readonly code: LinkCode; readonly message: string; readonly inMs: number };

export interface DialOptions {
  /** `ws://` or `wss://` address of the hub's link, such as `wss://hub.example:8070/link`. */
  readonly url: string;
  readonly identity: Identity;
  /** Asked before each attempt: an invitation code may have changed. */
  readonly claim: () => OwnClaim;
  /** Key of the hub, which `onState` reported before; undefined trusts the first hub that answers. */
  readonly hubKey: string | undefined;
  /** Whether the hub may reach this TCP port of the device. */
  readonly allowsPort: (port: number) => boolean;
  /** Where a port of the device is found. Default: on this machine. */
  readonly placeOf?: (port: number) => PortPlace;
  readonly onState: (state: DialState) => void;
  /** Ends the link and the dialing. */
  readonly signal: AbortSignal;
  readonly timing?: Timing['link'];
  /** For tests: how much the hub may send. */
  readonly limits?: ReceiveLimits;
}

/** A device has little memory. */
const deviceLimits: ReceiveLimits = { totalBytes: 4 << 20, streams: 256, initialBytes: 8 << 10 };
/** Failed attempts after which the certificate is fetched again in any case. */
const refetchAfter = 5;
const clock = () => performance.now();

/** Resolves when `signal` has ended it. Rejects only if the address is not a URL. */
export async function dialLink(options: DialOptions): Promise<void> {
  const { signal, onState, timing = ownTiming.link } = options;
  const reconnect = createReconnect(timing);
  const known: Known = { hubKey: options.hubKey, certificate: undefined, failures: 0 };
  while (!signal.aborted) {
    onState({ name: 'connecting' });
    const { code, message, outcome, welcome } = await connectOnce(options, known, timing);
    if (signal.aborted) return;
    if (welcome !== undefined) reconnect.setSpread(welcome.spreadMs);
    const inMs = Math.round(reconnect.delayAfter(outcome));
    onState({ name: 'retrying', code, message, inMs });
    await waited(inMs, signal);
  }
}

/** What a dialer learned from earlier attempts. */
interface Known {
  hubKey: string | undefined;
  /** The hub's certificate, in PEM. */
  certificate: string | undefined;
  /** In a row. */
  failures: number;
}

interface Attempt {
  readonly code: LinkCode;
  readonly message: string;
  readonly outcome: Outcome;
  readonly welcome: Welcome | undefined;
}

async function connectOnce(options: DialOptions, known: Known, timing: Timing['link']): Promise<Attempt> {
  const url = new URL(options.url);
  try {
    if (url.protocol === 'wss:') known.certificate ??= await fetchCertificate(url, timing.connectMs);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { code: 'lost', message, outcome: { kind: 'lost', upMs: 0 }, welcome: undefined };
  }
  const attempt = await runLink(options, known, timing);
  known.failures = attempt.welcome === undefined ? known.failures + 1 : 0;
  // The hub may have a new certificate: it is fetched again, and the hub's key vouches for it. Not after every failure,
  // because a fleet that finds its hub away would cost it two TLS handshakes per device.
  if (/TLS|certificate/i.test(attempt.message) || known.failures > refetchAfter) known.certificate = undefined;
  return attempt;
}

function runLink(options: DialOptions, known: Known, timing: Timing['link']): Promise<Attempt> {
  const { signal, onState, identity, limits = deviceLimits } = options;
  const takeStream = createLocalPorts({
    allows: options.allowsPort,
    placeOf: options.placeOf ?? onThisMachine,
    timing,
  });
  return new Promise((resolve) => {
    let welcome: Welcome | undefined;
    let openedAt: number | undefined;
    let goAwayMs: number | undefined;
    const socket = openHubSocket({
      url: options.url,
      certificate: known.certificate,
      onOpen() {
        core.greet('hello', handshake.hello());
        pump.flush();
      },
      onMessage(message) {
        core.receive(message, clock());
        socket.checkDrain();
      },
      onDrain: () => pump.drained(),
      onClose: (code, reason) => {
        core.endWith(code, reason || 'the connection broke');
        over();
      },
    });
    const handshake = createDialerHandshake({
      identity,
      claim: options.claim(),
      limits: limitsOf(limits),
      pinnedKey: known.hubKey,
      certificate: socket.certificate,
    });
    const core = createLinkCore({
      side: 'dialer',
      limits,
      timing,
      random: Math.random,
      now: clock(),
      lastId: lastStreamId,
      events: {
        handshake(type, payload) {
          if (type === 'challenge') core.greet('proof', handshake.onChallenge(payload));
          else onWelcome(handshake.onWelcome(payload));
        },
        opened: takeStream,
        goAway({ spreadMs }) {
          goAwayMs = spreadMs;
        },
        wake: () => pump.wake(),
        ended,
      },
    });
    const pump = createPump({ next: core.next, send: socket.send });
    let dueAt: number;
    let ticker: ReturnType<typeof setTimeout>;
    tickLater();
    const stop = () => core.end('closed', 'the agent stops');
    signal.addEventListener('abort', stop, { once: true });
    let end: { readonly code: LinkCode; readonly message: string } = { code: 'lost', message: '' };
    let closing: ReturnType<typeof setTimeout> | undefined;

    function onWelcome(next: Welcome): void {
      const { hubKey } = handshake;
      if (hubKey === undefined) throw new LinkFault('unexpected', 'WELCOME before CHALLENGE');
      welcome = next;
      openedAt ??= clock();
      known.hubKey = hubKey;
      onState({ name: next.state, hubKey });
      if (keepsLink.has(next.state)) core.enter(next.state === 'accepted' ? 'open' : 'waiting', next.limits);
      else core.end('refused', next.state);
    }

    /** A device at rest does not wake up before something is due. */
    function tickLater(): void {
      const now = clock();
      const inMs = pump.blockedMs > 0 ? timing.tickMs : tickAfter(core.idleUntil, now, timing.tickMs);
      dueAt = now + inMs;
      ticker = setTimeout(tick, inMs);
    }

    function tick(): void {
      const now = clock();
      core.tick(now, pauseOf(now - dueAt));
      if (pump.blockedMs >= timing.deadMs) core.end('silent', 'the hub reads nothing');
      if (core.phase !== 'ended') tickLater();
    }

    function ended(code: LinkCode, message: string): void {
      end = { code, message };
      clearTimeout(ticker);
      signal.removeEventListener('abort', stop);
      if (code === 'silent' || code === 'lost') socket.terminate();
      else socket.close(linkCodes[code], code);
      // A hub that does not answer must not delay the next attempt.
      closing = setTimeout(over, timing.closeMs);
    }

    function over(): void {
      clearTimeout(closing);
      socket.terminate();
      resolve({ ...end, outcome: outcomeOf(), welcome });
    }

    function outcomeOf(): Outcome {
      const isRefused = welcome !== undefined && !keepsLink.has(welcome.state);
      if (isRefused || end.code === 'refused') return { kind: 'refused' };
      if (end.code === 'replaced') return { kind: 'replaced' };
      if (goAwayMs !== undefined) return { kind: 'spread', spreadMs: goAwayMs };
      return { kind: 'lost', upMs: openedAt === undefined ? 0 : clock() - openedAt };
    }
  });
}

function waited(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
  });
}
