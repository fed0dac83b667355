/** The listeners of console and API; they can move to other ports while the hub runs. */

import type { SystemPart } from '../contract/system.ts';
import type { AddressRanges } from '../lib/address-ranges.ts';
import { HubError } from '../lib/hub-error.ts';
import type { Log } from '../lib/log.ts';
import { timing } from '../timing.ts';
import { CertificateError, type CertificateStore } from './certificate.ts';
import { ListenError, type Listener, listen, listenReason } from './listener.ts';
import type { Connection } from './route.ts';

export interface WebPorts {
  /** 0 means any free port. */
  readonly httpPort: number;
  readonly isHttpsEnabled: boolean;
  readonly httpsPort: number;
}

interface WebServerOptions {
  readonly host: string;
  readonly certificates: CertificateStore;
  readonly trustedProxies: AddressRanges;
  readonly answer: (request: Request, connection: Connection) => Response | Promise<Response>;
  readonly log: Log;
}

export type WebServer = ReturnType<typeof createWebServer>;

export function createWebServer({ host, certificates, trustedProxies, answer, log }: WebServerOptions) {
  let http: Listener | null = null;
  let https: Listener | null = null;
  let httpsFault: SystemPart | null = null;
  /** 0 means any free port; null: disabled. */
  let desiredHttps: number | null = null;
  let prepared = 0;
  let turn: Promise<void> = Promise.resolve();

  const openHttp = (port: number) => listen({ host, port, tls: null, trustedProxies, answer });
  const openHttps = async (port: number) =>
    listen({ host, port, tls: await certificates.load(), trustedProxies, answer });

  const openSecure = async (port: number) => {
    const old = https;
    try {
      if (old !== null) {
        old.drain();
        await Bun.sleep(timing.web.drainMs);
      }
      const tls = await certificates.load();
      // A settings change is moving the listeners at this moment.
      if (prepared > 0 || https !== old) return;
      https = listen({ host, port, tls, joins: old !== null, trustedProxies, answer });
      if (old !== null) afterAccepting(() => void old.close(timing.web.moveGraceMs));
      httpsFault = null;
      log.info('console and API listen', { url: `https://${host}:${https.port}` });
    } catch (error) {
      const fault = faultOf(error, port);
      if (fault.message !== httpsFault?.message) log.error('HTTPS does not start', { reason: fault.message });
      httpsFault = fault;
      // What it serves is no longer installed.
      if (https === old) {
        https = null;
        void old?.close(timing.web.moveGraceMs);
      }
    }
  };
  /** One after another: each serves the certificate that is installed when its turn comes. */
  const startHttps = (): Promise<void> => {
    turn = turn.then(() => {
      if (desiredHttps !== null) return openSecure(https?.port ?? desiredHttps);
    });
    return turn;
  };

  return {
    /** Throws a ListenError if the HTTP port fails; if HTTPS fails, the hub continues and shows the fault. */
    async start(web: WebPorts): Promise<void> {
      http = openHttp(web.httpPort);
      log.info('console and API listen', { url: `http://${host}:${http.port}` });
      if (!web.isHttpsEnabled) return;
      desiredHttps = web.httpsPort;
      await startHttps();
    },
    /** Opens HTTPS if it is enabled but not running, and reopens it when the hub's own certificate must be replaced. */
    async refreshHttps(): Promise<void> {
      if (https === null || certificates.isDue()) await startHttps();
    },
    /** Serves the certificate that was installed: new connections get it, calls in progress are finished. */
    renewHttps: startHttps,
    /** Opens the new listeners; the old ones stay open until `commit`. */
    async prepare(next: WebPorts): Promise<{ commit(): void; abort(): void }> {
      const opened: Listener[] = [];
      const closed: Listener[] = [];
      const replace = async (
        old: Listener | null,
        port: number | null,
        open: (port: number) => Listener | Promise<Listener>,
      ) => {
        if (old?.port === port) return old;
        if (old !== null) closed.push(old);
        if (port === null) return null;
        const listener = await open(port);
        opened.push(listener);
        return listener;
      };
      const closeAll = (list: Listener[], graceMs: number) => {
        for (const listener of list) void listener.close(graceMs);
      };
      const nextDesired = next.isHttpsEnabled ? next.httpsPort : null;
      // If HTTPS failed to start and this change does not affect it, its fault remains.
      const keepsFault = httpsFault !== null && nextDesired === desiredHttps;
      prepared += 1;
      try {
        const nextHttp = await replace(http, next.httpPort, openHttp);
        const nextHttps = keepsFault ? null : await replace(https, nextDesired, openHttps);
        return {
          abort() {
            prepared -= 1;
            closeAll(opened, 0);
          },
          commit() {
            prepared -= 1;
            [http, https, desiredHttps] = [nextHttp, nextHttps, nextDesired];
            if (!keepsFault) httpsFault = null;
            log.info('console and API moved', { http: http?.port, https: https?.port });
            closeAll(closed, timing.web.moveGraceMs);
          },
        };
      } catch (error) {
        prepared -= 1;
        closeAll(opened, 0);
        throw refusalOf(error, next.httpPort);
      }
    },
    ports: (): { http: number; https: number | null } => ({ http: http?.port ?? 0, https: https?.port ?? null }),
    faults: (): SystemPart[] => (httpsFault === null ? [] : [httpsFault]),
    async close(graceMs: number): Promise<void> {
      await Promise.all([http?.close(graceMs), https?.close(graceMs)]);
    },
  };
}

/**
 * Connections that a listener has not accepted are lost with it. It accepts all of them when the loop polls; a timer
 * runs right after that, the second one after a poll that follows this call.
 */
function afterAccepting(then: () => void): void {
  setTimeout(() => setTimeout(then, 1), 1);
}

function faultOf(error: unknown, port: number): SystemPart {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof CertificateError) {
    return { name: 'https', ok: false, reason: error.reason, message, port, path: error.path };
  }
  return { name: 'https', ok: false, reason: listenReason(error), message, port };
}

/** The error that the settings page shows if the new ports cannot be opened. */
function refusalOf(error: unknown, httpPort: number): unknown {
  if (!(error instanceof ListenError)) {
    return error instanceof Error ? new HubError('caCertificateInvalid', error.message) : error;
  }
  const { port, state, message } = error;
  const path = port === httpPort ? 'web.http-port' : 'web.https-port';
  // A port that the system reserves is as little use as one that a program has; the field says which of both it is.
  const fields = state === 'forbidden' ? [{ path, rule: 'privilegedPort', message }] : undefined;
  return new HubError('portOccupied', message, { params: { port }, ...(fields && { fields }) });
}
