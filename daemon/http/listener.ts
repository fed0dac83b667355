import { limits } from '../contract/limits.ts';
import type { AddressRanges } from '../lib/address-ranges.ts';
import { callerOf } from '../lib/caller.ts';
import { plainAddress } from '../lib/local-network.ts';
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

export function listen({ host, port, tls, trustedProxies, answer }: ListenOptions) {
  const server = openServer({ host, port }, () =>
    Bun.serve({
      hostname: host,
      port,
      ...(tls && { tls: { ...tls, ciphers } }),
      maxRequestBodySize: maxRequestBytes,
      // The error page of development mode shows source code to the client.
      development: false,
      // Outside development mode, Bun shares the port with every other program that does so, such as a second hub.
      reusePort: false,
      error: () => new Response(null, { status: 500 }),
      idleTimeout: idleSeconds,
      fetch: (request, self) =>
        answer(request, {
          ...callerOf(
            {
              peer: plainAddress(self.requestIP(request)?.address ?? ''),
              isTls: tls !== null,
              headers: request.headers,
            },
            trustedProxies,
          ),
          keepOpen: (seconds = 0) => self.timeout(request, seconds),
        }),
    }),
  );
  return {
    /** The port that is bound; never 0. */
    port: server.port ?? port,
    /** Stops accepting connections; closes the open ones after `graceMs`. */
    async close(graceMs: number): Promise<void> {
      const whenIdle = server.stop(false);
      const timer = setTimeout(() => void server.stop(true), graceMs);
      await whenIdle;
      clearTimeout(timer);
    },
  };
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
