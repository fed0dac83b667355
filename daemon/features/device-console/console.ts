/**
 * The pages of devices: ports on which each device has an origin of its own in a browser. `sessions.ts` has who may, and
 * `exchange.ts` what passes.
 */
import { randomBytes } from 'node:crypto';
import type { ResultName } from '../../contract/result.ts';
import { DirectStream, handlers as socketHandlers } from '../../devices/direct-stream.ts';
import type { DeviceWeb } from '../../devices/ports.ts';
import type { Certificate } from '../../http/certificate.ts';
import { ciphers, ListenError, openServer } from '../../http/listener.ts';
import type { Actor, Session } from '../../http/route.ts';
import { HubError } from '../../lib/hub-error.ts';
import { plainAddress } from '../../lib/local-network.ts';
import type { Log } from '../../lib/log.ts';
import { duplexOf } from '../../link/duplex.ts';
import type { Timing } from '../../timing.ts';
import { type ClientDeps, faultOf, htmlPage, type OwnResponse, openPath, ownHeaders, serveClient } from './client.ts';
import { cookiesOf, type PortCookie, portCookies } from './console-cookies.ts';
import type { PageOrigin } from './header-rules.ts';
import { originOf } from './header-rules.ts';
import { headerOf, type RequestHead, valuesOf } from './http-message.ts';
import { entryPage, type Language, languageIn, switchPage } from './pages.ts';
import { createConsoleSessions, markOf, type Opening } from './sessions.ts';

export interface ConsoleDeps {
  readonly host: string;
  /** The ports of consoles; a port 0 is any free one. */
  readonly ports: readonly number[];
  /** The certificate; null while the hub serves no HTTPS. Rejects if there is none to serve. */
  readonly certificate: () => Promise<Certificate | null>;
  /** The session as it is now; null if it has ended. */
  readonly current: (idHash: string) => Session | null;
  readonly onSessionEnd: (listener: (idHash: string) => void) => () => void;
  readonly isOwnToken: (token: string) => boolean;
  /** Returns why the user may not open the page of the device; undefined if that is allowed. */
  readonly refusal: (session: Session, sn: string) => HubError | undefined;
  readonly openDevice: (sn: string, user: string) => Promise<DeviceWeb>;
  /** Stores in the operation log that the page was opened. */
  readonly note: (actor: Actor, sn: string) => void;
  /** Turns the problem of a device into a HubError; returns other errors as they are. */
  readonly problemOf: (error: unknown, what: string) => unknown;
  /** Origin of the hub's own console under this host name. */
  readonly hubOrigin: (hostname: string) => string;
  /** Language of the hub; undefined leaves it to the browser. */
  readonly language: () => Language | undefined;
  readonly now: () => number;
  readonly times: Timing['deviceConsole'];
  readonly log: Log;
}

const maxConnections = 512;
/** Those that have no session yet count, too. */
export const maxConnectionsOfAddress = 128;
/** Connections that have sent no request of a session. If there are more, the oldest ends: browsers send one at once. */
export const maxStrangers = 256;

interface PortListener {
  readonly port: number;
  readonly cert: string | undefined;
  stop(hard: boolean): void;
}

interface ClientOf extends Pick<ClientDeps, 'scheme' | 'port' | 'ip'> {
  /** Called when a request has a session. */
  readonly onKnown: () => void;
}

export type DeviceConsole = ReturnType<typeof createDeviceConsole>;

export function createDeviceConsole(deps: ConsoleDeps) {
  const { log, times } = deps;
  const sessions = createConsoleSessions({
    ...{ elapsed: () => performance.now(), now: deps.now, idleMs: times.idleMs },
  });
  /** By position in `deps.ports`. */
  const listeners = new Map<number, PortListener>();
  let opening: Promise<unknown> = Promise.resolve();
  let tls: Certificate | null = null;
  /** The device (`markOf`) whose page each port has served, or `several`. */
  const devicesAt = new Map<number, string>();
  /** By the IP address of the browser. */
  const connections = new Map<string, number>();
  let total = 0;
  /** In the order in which they came. */
  const strangers = new Set<DirectStream>();
  let isClosed = false;
  const scheme = () => (tls === null ? 'http' : 'https');

  const mayConnect = (ip: string) => total < maxConnections && (connections.get(ip) ?? 0) < maxConnectionsOfAddress;
  const count = (ip: string, change: 1 | -1) => {
    total += change;
    const ofAddress = (connections.get(ip) ?? 0) + change;
    if (ofAddress > 0) connections.set(ip, ofAddress);
    else connections.delete(ip);
  };

  const serve = (wanted: number): PortListener => {
    const certificate = tls;
    const ownScheme = scheme();
    const listener = openServer({ host: deps.host, port: wanted }, () =>
      Bun.listen<DirectStream>({
        hostname: deps.host,
        port: wanted,
        exclusive: true,
        ...(certificate && { tls: { ...certificate, ciphers } }),
        socket: {
          ...socketHandlers,
          open(socket) {
            const stream = new DirectStream();
            socket.data = stream;
            const ip = plainAddress(socket.remoteAddress);
            if (isClosed || !mayConnect(ip)) {
              socket.terminate();
              return;
            }
            count(ip, 1);
            stream.join(socket);
            const client = duplexOf(stream);
            void client.closed.then(() => {
              count(ip, -1);
              strangers.delete(stream);
            });
            strangers.add(stream);
            if (strangers.size > maxStrangers) [...strangers][0]?.reset('busy');
            const onKnown = () => void strangers.delete(stream);
            void serveClient(client, clientDeps({ scheme: ownScheme, port: listener.port, ip, onKnown }));
          },
        },
      }),
    );
    log.info('consoles of devices listen', { url: `${ownScheme}://${deps.host}:${listener.port}` });
    return { port: listener.port, cert: certificate?.cert, stop: (hard) => listener.stop(hard) };
  };

  /** Opens the listener at this position, again if the certificate has changed. Returns its port. */
  const listenAt = (position: number): number => {
    const before = listeners.get(position);
    if (before !== undefined && before.cert === tls?.cert) return before.port;
    before?.stop(false);
    listeners.delete(position);
    const listener = serve(before?.port ?? deps.ports[position] ?? 0);
    listeners.set(position, listener);
    return listener.port;
  };
  const clientDeps = ({ port, onKnown, ...of }: ClientOf): ClientDeps => ({
    ...{ ...of, port, times, log, isOwnToken: deps.isOwnToken },
    find(request) {
      const own = cookiesOf(request).get(port);
      const session = own && sessions.find(own.secret);
      if (session?.port !== port) return undefined;
      onKnown();
      return session;
    },
    check(session) {
      const refused = refusalOf(session);
      if (refused === undefined) return;
      sessions.end(session);
      throw refused;
    },
    openDevice: ({ sn, session }) => deps.openDevice(sn, session.user.name),
    own: (request, page, body, from) => answer({ request, page, body, ip: from, port }),
    ...{ backTo, problemOf: deps.problemOf },
    language: languageOf,
  });

  const languageOf = ({ headers }: RequestHead): Language =>
    languageIn({
      ...{ cookie: valuesOf(headers, 'cookie').join('; '), accepted: headerOf(headers, 'accept-language') },
      ofHub: deps.language(),
    });

  /** To where the page was opened, or to all devices. */
  const backTo = ({ authority }: PageOrigin, opening: Opening | undefined): string => {
    const origin = opening?.hub ?? deps.hubOrigin(authority.replace(/:\d+$/, ''));
    return `${origin}/#${opening === undefined ? '/devices/all' : `/device/detail/${encodeURIComponent(opening.sn)}`}`;
  };

  /** Why the user may not use the device any more; undefined if that is allowed. */
  const refusalOf = ({ session, sn }: Opening): HubError | undefined => {
    const current = deps.current(session.idHash);
    if (current === null) return new HubError('notLoggedIn', 'the session has ended');
    return deps.refusal(current, sn);
  };

  // Ends requests and WebSockets of those who may not go on, whatever the reason.
  const checking = setInterval(() => {
    for (const session of sessions.all()) {
      if (session.open.size > 0 && refusalOf(session) !== undefined) sessions.end(session);
    }
  }, times.checkMs);
  checking.unref();
  const stopWatching = deps.onSessionEnd((idHash) => {
    for (const one of sessions.all()) if (one.session.idHash === idHash) sessions.end(one);
  });

  interface OwnRequest {
    readonly request: RequestHead;
    readonly page: PageOrigin;
    readonly body: string;
    readonly ip: string;
    readonly port: number;
  }

  /** Answers `/_signalbox/open`, which turns a ticket into a session. */
  function answer(of: OwnRequest): OwnResponse {
    const { request, page, body } = of;
    const [path = '', query = ''] = request.target.split('?');
    const fault = (result: ResultName, message: string, opening?: Opening) =>
      faultOf(request, result, message, opening, { scheme: page.scheme, language: languageOf, backTo });
    const isForm = request.method === 'POST';
    if (path !== openPath || !(isForm || request.method === 'GET'))
      return fault('notPermitted', 'there is no such page');
    if (isForm && headerOf(request.headers, 'origin') !== originOf(page)) {
      return fault('notPermitted', 'the form comes from another origin');
    }
    const ticket = new URLSearchParams(isForm ? body : query).get('ticket') ?? '';
    const found = sessions.look(ticket);
    if (found === undefined) return fault('notLoggedIn', 'the ticket has been used or has expired');
    const refused = refusalOf(found);
    if (refused !== undefined) return fault(refused.result, refused.message, found);
    try {
      return enter(of, ticket, found, isForm);
    } catch (error) {
      if (error instanceof HubError) return fault(error.result, error.message, found);
      if (error instanceof ListenError) return fault('portOccupied', error.message, found);
      throw error;
    }
  }

  function enter(
    { request, page, ip, port }: OwnRequest,
    ticket: string,
    found: Opening,
    isConfirmed: boolean,
  ): OwnResponse {
    const cookies = cookiesOf(request);
    const mark = markOf(found.sn);
    const own = cookies.get(port);
    if (!isConfirmed) {
      const to = choosePort(cookies, found, port);
      if (to === undefined) {
        sessions.take(ticket);
        const form = switchPage(sessions.issue(found, times.confirmMs), openPath, languageOf(request));
        return htmlPage(200, form);
      }
      if (to !== port) {
        const url = new URL(originOf(page));
        url.port = String(to);
        const location = `${url.origin}${openPath}?ticket=${encodeURIComponent(ticket)}`;
        return { status: 303, headers: [['location', location], ...ownHeaders()], body: '' };
      }
    }
    sessions.take(ticket);
    const before = own && sessions.find(own.secret);
    const nonce = randomBytes(16).toString('base64url');
    // The same device again: its tabs stay signed in.
    if (before?.port === port && before.sn === found.sn && before.session.idHash === found.session.idHash) {
      return htmlPage(200, entryPage(nonce, false), nonce);
    }
    if (before?.port === port) sessions.end(before);
    const mayHaveOthers = own === undefined ? devicesAt.get(port) !== mark && devicesAt.has(port) : own.mark !== mark;
    const { secret } = sessions.begin(found, { port, authority: page.authority, mayHaveOthers });
    devicesAt.set(port, (devicesAt.get(port) ?? mark) === mark ? mark : 'several');
    const { user, token } = found.session;
    const isSecure = page.scheme === 'https';
    deps.note({ name: user.name, ip, ...(isSecure && { isSecure }), ...(token && { via: token.name }) }, found.sn);
    const clears = own?.mark !== mark;
    const response = htmlPage(200, entryPage(nonce, clears), nonce);
    return {
      ...response,
      headers: [
        ...response.headers,
        ['set-cookie', portCookies.write({ port, mark, secret }, isSecure)],
        ...(clears && isSecure ? ([['clear-site-data', '"storage"']] as const) : []),
      ],
    };
  }

  /**
   * The port that this browser knows for the device, or one that had no other device; undefined: there is none. Scripts
   * can crowd out cookies, so a port where the user has another device open is never chosen, whatever the cookies say.
   */
  function choosePort(cookies: ReadonlyMap<number, PortCookie>, { sn, session }: Opening, own: number) {
    const mark = markOf(sn);
    const ofUser = sessions.all().filter((one) => one.session.user.id === session.user.id);
    const taken = new Set(ofUser.flatMap((one) => (one.sn === sn ? [] : [one.port])));
    const known = [...listeners.values()].find(({ port }) => cookies.get(port)?.mark === mark && !taken.has(port));
    if (known !== undefined) return known.port;
    const isFree = (port: number) => !cookies.has(port) && !taken.has(port);
    if (isFree(own)) return own;
    for (const position of deps.ports.keys()) {
      try {
        const port = listenAt(position);
        if (isFree(port)) return port;
      } catch (error) {
        if (!(error instanceof ListenError)) throw error;
        log.warn('a port of consoles does not open', { port: error.port, reason: error.message });
      }
    }
    return undefined;
  }

  return {
    /** Returns the address that opens the page of the device, once. Rejects with a ListenError or CertificateError. */
    async open(by: Opening, hostname: string): Promise<string> {
      const work = opening.then(async () => {
        tls = await deps.certificate();
        return listenAt(0);
      });
      opening = work.catch(() => undefined);
      const port = await work;
      const ticket = sessions.issue(by, times.ticketMs);
      return `${scheme()}://${hostname}:${port}${openPath}?ticket=${ticket}`;
    },
    close(): void {
      isClosed = true;
      clearInterval(checking);
      stopWatching();
      for (const session of sessions.all()) sessions.end(session);
      for (const listener of listeners.values()) listener.stop(true);
      listeners.clear();
    },
  };
}
