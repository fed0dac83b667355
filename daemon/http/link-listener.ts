/**
 * The port at which the agents of devices dial the hub: with TLS and the hub's certificate if HTTPS is on. The link is
 * loaded when the port opens, which it does on hubs that manage devices only.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { SystemPart } from '../contract/system.ts';
import type { AddressRanges } from '../lib/address-ranges.ts';
import { callerOf } from '../lib/caller.ts';
import { plainAddress } from '../lib/local-network.ts';
import type { Log } from '../lib/log.ts';
import { asLast } from '../lib/pipelining.ts';
import type { Sealing } from '../link/identity.ts';
import type { LinkServer, LinkServerOptions, LinkSocketData } from '../link/link-server.ts';
import { type Certificate, CertificateError, type CertificateStore } from './certificate.ts';
import { ciphers, listenReason, openServer } from './listener.ts';

export const linkPath = '/link';
/** HTTP of a device. */
const devicePort = 80;

interface LinkListenerOptions extends Pick<LinkServerOptions, 'accept' | 'fleetSize' | 'socketPath'> {
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
  readonly certificates: Pick<CertificateStore, 'load'>;
  readonly isSecure: () => boolean;
  readonly trustedProxies: AddressRanges;
  /** Folder of the hub's key. */
  readonly keyDir: string;
  readonly sealing: Sealing;
  /** Called when the link of an accepted device started or ended. */
  readonly onChange: (sn: string) => void;
  readonly log: Log;
}

const loadLink = async () => ({
  ...(await import('../link/identity.ts')),
  ...(await import('../link/link-server.ts')),
});
type LinkCode = Awaited<ReturnType<typeof loadLink>>;

export type LinkListener = ReturnType<typeof createLinkListener>;

export function createLinkListener(options: LinkListenerOptions) {
  const { host, log } = options;
  let links: LinkServer | undefined;
  let server: Bun.Server<LinkSocketData> | undefined;
  /** What the server serves; null: no TLS. */
  let served: Certificate | null = null;
  let fault: SystemPart | undefined;
  let hash: Uint8Array | undefined;
  let opening: Promise<void> = Promise.resolve();
  let isClosed = false;

  const openLinks = ({ openIdentity, createLinkServer }: LinkCode) => {
    const { accept, fleetSize, socketPath } = options;
    // A hub without HTTPS has no such folder yet.
    mkdirSync(options.keyDir, { recursive: true, mode: 0o700 });
    const identity = openIdentity(join(options.keyDir, 'link.key'), options.sealing);
    const opened = createLinkServer({ identity, certificate: () => hash, accept, fleetSize, socketPath, log });
    opened.onUp(options.onChange);
    opened.onDown(options.onChange);
    return opened;
  };
  const serve = (code: LinkCode, tls: Certificate | null, port: number) => {
    links ??= openLinks(code);
    const { upgrade, websocket } = links;
    return openServer({ host, port }, () =>
      Bun.serve<LinkSocketData>({
        hostname: host,
        port,
        ...(tls && { tls: { ...tls, ciphers } }),
        development: false,
        reusePort: false,
        error: () => new Response(null, { status: 500 }),
        fetch(request, self) {
          const peer = plainAddress(self.requestIP(request)?.address ?? '');
          const caller = { peer, isTls: tls !== null, headers: request.headers };
          const refusal =
            new URL(request.url).pathname === linkPath
              ? upgrade(request, self, callerOf(caller, options.trustedProxies).ip)
              : new Response('not found', { status: 404 });
          // Agents send one request per connection.
          return refusal && asLast(refusal);
        },
        websocket,
      }),
    );
  };
  const open = async (): Promise<void> => {
    try {
      const tls = options.isSecure() ? await options.certificates.load() : null;
      if (isClosed || (server !== undefined && tls?.cert === served?.cert)) return;
      const code = await loadLink();
      const port = server?.port ?? options.port;
      // Links that are open stay so.
      void server?.stop(false);
      server = undefined;
      server = serve(code, tls, port);
      served = tls;
      hash = tls === null ? undefined : code.hashOfPem(tls.cert);
      fault = undefined;
      log.info('devices register here', { url: `${tls === null ? 'ws' : 'wss'}://${host}:${server.port}${linkPath}` });
    } catch (error) {
      const next = faultOf(error, options.port);
      if (next.message !== fault?.message) log.error('devices cannot register', { reason: next.message });
      fault = next;
    }
  };

  return {
    /** Opens the port, or opens it again if it failed, or if TLS or the certificate have changed. Never rejects. */
    refresh(): Promise<void> {
      opening = opening.then(open);
      return opening;
    },
    /** 0 until it is open. */
    port: (): number => server?.port ?? 0,
    faults: (): SystemPart[] => (fault === undefined ? [] : [fault]),
    setState: (...of: Parameters<LinkServer['setState']>): void => void links?.setState(...of),
    /** Path of a unix socket to the HTTP port of the device; undefined if its agent is not connected. */
    socketOf: (sn: string): string | undefined =>
      links?.isUp(sn) === true ? links.socketPath(sn, devicePort) : undefined,
    /** Opens a stream to a port of the device; a code if that is not possible. */
    openPort: (...of: Parameters<LinkServer['openPort']>): ReturnType<LinkServer['openPort']> =>
      links?.openPort(...of) ?? 'offline',
    async close(): Promise<void> {
      isClosed = true;
      await opening;
      links?.stop();
      await server?.stop(true);
    },
  };
}

function faultOf(error: unknown, port: number): SystemPart {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof CertificateError) {
    return { name: 'link', ok: false, reason: error.reason, message, port, path: error.path };
  }
  return { name: 'link', ok: false, reason: listenReason(error), message, port };
}
