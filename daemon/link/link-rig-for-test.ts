/** A hub's listener and devices that dial it, over real sockets on 127.0.0.1. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../tests/support/until.ts';
import { createLog } from '../lib/log.ts';
import { shippedTiming } from '../shipped-timing.ts';
import type { Timing } from '../timing.ts';
import { type DialOptions, type DialState, dialLink } from './dial.ts';
import type { Claim } from './handshake.ts';
import { createIdentity, hashOfPem, type Identity } from './identity.ts';
import { type Admission, createLinkServer, type LinkServerOptions, type LinkSocketData } from './link-server.ts';

/** Retries within milliseconds; the heartbeat as shipped. */
export const rigTiming: RigTiming = { ...shippedTiming.link, firstRetryMs: 20, lastRetryMs: 100, closeMs: 200 };
type RigTiming = Timing['link'];

export interface Tls {
  readonly cert: string;
  readonly key: string;
}

export interface HubOptions {
  readonly identity?: Identity;
  readonly tls?: Tls;
  readonly port?: number;
  readonly accept?: LinkServerOptions['accept'];
  readonly limits?: LinkServerOptions['limits'];
  readonly timing?: RigTiming;
  /** Of the certificate, if not that of `tls`. */
  readonly certificate?: () => Uint8Array | undefined;
}

export function startHub({ tls, port = 0, timing = rigTiming, ...options }: HubOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-link-'));
  const ups: [string, number][] = [];
  const downs: [string, number, string][] = [];
  const claims: Claim[] = [];
  const accepted = (): Admission => ({ state: 'accepted' });
  const { accept = accepted } = options;
  const links = createLinkServer({
    identity: options.identity ?? createIdentity(),
    certificate: options.certificate ?? (() => (tls === undefined ? undefined : hashOfPem(tls.cert))),
    accept(claim, remote) {
      claims.push(claim);
      return accept(claim, remote);
    },
    fleetSize: () => 0,
    socketPath: (name) => join(folder, `${name}.sock`),
    log: createLog('error'),
    timing,
    ...(options.limits && { limits: options.limits }),
  });
  links.onUp((...event) => void ups.push(event));
  links.onDown((...event) => void downs.push(event));
  const server = Bun.serve<LinkSocketData>({
    hostname: '127.0.0.1',
    port,
    ...(tls && { tls }),
    fetch: (request, self) => links.upgrade(request, self, self.requestIP(request)?.address ?? ''),
    websocket: links.websocket,
  });
  return {
    links,
    ups,
    downs,
    claims,
    port: server.port ?? 0,
    url: (at = server.port) => `${tls === undefined ? 'ws' : 'wss'}://127.0.0.1:${at}/link`,
    async stop() {
      links.stop();
      await server.stop(true);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
export type RigHub = ReturnType<typeof startHub>;

interface DeviceOptions extends Partial<Pick<DialOptions, 'identity' | 'hubKey' | 'allowsPort'>> {
  readonly url: string;
  readonly serial?: string;
  readonly details?: Readonly<Record<string, string>>;
  readonly timing?: RigTiming;
}

export function startDevice({ url, serial = 'SN1', details = {}, timing = rigTiming, ...options }: DeviceOptions) {
  const abort = new AbortController();
  const states: DialState[] = [];
  const done = dialLink({
    url,
    identity: options.identity ?? createIdentity(),
    claim: () => ({ role: 'device', serial, details }),
    hubKey: options.hubKey,
    allowsPort: options.allowsPort ?? (() => true),
    onState: (state) => void states.push(state),
    signal: abort.signal,
    timing,
  });
  return {
    states,
    untilState: (name: DialState['name']) => until(() => states.at(-1)?.name === name, undefined, `state ${name}`),
    async stop() {
      abort.abort();
      await done;
    },
  };
}
export type RigDevice = ReturnType<typeof startDevice>;

/** Stops what was started, in reverse. */
export function createStops() {
  const stops: (() => unknown)[] = [];
  return {
    add<T extends { stop(): unknown }>(started: T): T {
      stops.push(() => started.stop());
      return started;
    },
    async all(): Promise<void> {
      for (const stop of stops.splice(0).reverse()) await stop();
    },
  };
}
