import { limits } from '../contract/limits.ts';
import type { AddressRanges } from '../lib/address-ranges.ts';
import { callerOf } from '../lib/caller.ts';
import { plainAddress } from '../lib/local-network.ts';
import { asLast, createPipelineLimit } from '../lib/pipelining.ts';
import type { Certificate } from './certificate.ts';
import { idleSeconds } from './keep-open.ts';
import type { Connection } from './route.ts';

/** The port could not be opened. */
export class ListenError extends Error {
  readonly port: number;
  readonly state: 'occupied' | 'forbidden' | 'noAddress';

  constructor({ host, port }: { host: string; port: number }, state: ListenError['state']) {
    super(
      {
        occupied: `port ${port} is in use by another program; stop that one or choose another port`,
        forbidden: `the system does not let this user open port ${port}; choose one above 1023`,
        noAddress: `this machine does not have the address ${host}; give one that it has with SIGNALBOX_BIND`,
      }[state],
    );
    this.name = 'ListenError';
    this.port = port;
    this.state = state;
  }
}

interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly tls: Certificate | null;
  /** Whether the port is already that of another listener of this hub, which closes soon. */
  readonly joins?: boolean;
  readonly trustedProxies: AddressRanges;
  readonly answer: (request: Request, connection: Connection) => Response | Promise<Response>;
}

/**
 * For uploads, which are streams: Bun stops reading from the socket while the hub does not take what has arrived. The
 * application limits the bodies of other requests (middleware/body-limit.ts, body.ts).
 */
const maxRequestBytes = limits.uploads.maxBytes;

/** TLS 1.2 suites with forward secrecy and authenticated encryption; Bun has nothing older, TLS 1.3 has no others. */
export const ciphers = 'ECDHE+AESGCM:ECDHE+CHACHA20';

export function listenReason(error: unknown): 'portOccupied' | 'notPermitted' | 'failed' {
  if (!(error instanceof ListenError) || error.state === 'noAddress') return 'failed';
  return error.state === 'occupied' ? 'portOccupied' : 'notPermitted';
}

export type Listener = ReturnType<typeof listen>;

/**
 * Listeners with TLS share their port with each other, since Bun can change a certificate only with a new listener. Bun
 * would share it with a second hub, too, so the port is opened for this one alone first.
 */
export function listen({ host, port: given, tls, joins = false, trustedProxies, answer }: ListenOptions) {
  const isShared = tls !== null;
  const port = isShared && !joins ? unusedPort({ host, port: given }) : given;
  let isDraining = false;
  const isPastLimit = createPipelineLimit();
  const server = openServer({ host, port }, () =>
    Bun.serve({
      hostname: host,
      port,
      ...(tls && { tls: { ...tls, ciphers } }),
      maxRequestBodySize: maxRequestBytes,
      // The error page of development mode shows source code to the client.
      development: false,
      // Outside development mode, Bun would share it if this were absent.
      reusePort: isShared,
      error: () => new Response(null, { status: 500 }),
      idleTimeout: idleSeconds,
      async fetch(request, self) {
        const from = self.requestIP(request);
        const isTooMuch = isPastLimit(from);
        const peer = plainAddress(from?.address ?? '');
        const caller = { peer, isTls: tls !== null, headers: request.headers };
        const response = await answer(request, {
          ...callerOf(caller, trustedProxies),
          ...(from && { ends: { peer, peerPort: from.port, localPort: self.port ?? port } }),
          ...(tls && { certificate: tls.cert }),
          keepOpen: (seconds = 0) => self.timeout(request, seconds),
        });
        return isDraining || isTooMuch ? asLast(response) : response;
      },
    }),
  );
  return {
    /** The port that is bound; never 0. */
    port: server.port ?? port,
    /** From now on, each connection ends with its next response, so that none is in use when the listener closes. */
    drain(): void {
      isDraining = true;
    },
    /** Stops accepting connections; closes the open ones after `graceMs`. */
    async close(graceMs: number): Promise<void> {
      const whenIdle = server.stop(false);
      const timer = setTimeout(() => void server.stop(true), graceMs);
      await whenIdle;
      clearTimeout(timer);
    },
  };
}

/** Returns the port, or a free one for 0. Throws a ListenError if another program has it. */
function unusedPort(at: { readonly host: string; readonly port: number }): number {
  const probe = openServer(at, () =>
    Bun.listen({ hostname: at.host, port: at.port, exclusive: true, socket: { data: () => {} } }),
  );
  const { port } = probe;
  probe.stop(true);
  return port;
}

/** Throws a ListenError if the port cannot be opened. */
export function openServer<Opened>(at: { readonly host: string; readonly port: number }, open: () => Opened): Opened {
  try {
    return open();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') throw new ListenError(at, 'occupied');
    if (code === 'EACCES' || code === 'EPERM') throw new ListenError(at, 'forbidden');
    if (code === 'EADDRNOTAVAIL') throw new ListenError(at, 'noAddress');
    throw error;
  }
}
