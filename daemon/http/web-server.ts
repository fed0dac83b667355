/** The listeners of console and API; they can move to other ports while the hub runs. */

import type { SystemPart } from '../contract/system.ts';
import type { AddressRanges } from '../lib/address-ranges.ts';
import { fieldError, HubError } from '../lib/hub-error.ts';
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

  const openHttp = (port: number) => listen({ host, port, tls: null, trustedProxies, answer });
  const openHttps = async (port: number) =>
    listen({ host, port, tls: await certificates.load(), trustedProxies, answer });

  const startHttps = async (port: number) => {
    const old = https;
    try {
      const tls = await certificates.load();
      // A settings change is moving the listeners at this moment.
      if (prepared > 0 || https !== old) return;
      void old?.close(timing.web.moveGraceMs);
      https = null;
      https = listen({ host, port, tls, trustedProxies, answer });
      httpsFault = null;
      log.info('console and API listen', { url: `https://${host}:${https.port}` });
    } catch (error) {
      const fault = faultOf(error, port);
      if (fault.message !== httpsFault?.message) log.error('HTTPS does not start', { reason: fault.message });
      httpsFault = fault;
    }
  };

  return {
    /** Throws a ListenError if the HTTP port fails; if HTTPS fails, the hub continues and shows the fault. */
    async start(web: WebPorts): Promise<void> {
      http = openHttp(web.httpPort);
      log.info('console and API listen', { url: `http://${host}:${http.port}` });
      if (!web.isHttpsEnabled) return;
      desiredHttps = web.httpsPort;
      await startHttps(web.httpsPort);
    },
    /** Opens HTTPS if it is enabled but not running, and reopens it when the hub's own certificate must be replaced. */
    async refreshHttps(): Promise<void> {
      if (desiredHttps === null || (https !== null && !certificates.isDue())) return;
      await startHttps(https?.port ?? desiredHttps);
    },
    /** Reopens HTTPS with the certificate that was installed. */
    async renewHttps(): Promise<void> {
      if (desiredHttps !== null) await startHttps(https?.port ?? desiredHttps);
    },
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
  if (state === 'occupied') return new HubError('portOccupied', message, { params: { port } });
  return fieldError(port === httpPort ? 'web.http-port' : 'web.https-port', 'privilegedPort', message);
}
