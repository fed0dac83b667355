/** A connection of a browser to the port of consoles: its requests, one after the other. */
import { STATUS_CODES } from 'node:http';
import type { ResultName } from '../../contract/result.ts';
import type { DeviceWeb } from '../../devices/ports.ts';
import { HubError } from '../../lib/hub-error.ts';
import type { Log } from '../../lib/log.ts';
import type { Stream } from '../../link/duplex.ts';
import type { Timing } from '../../timing.ts';
import { type ByteReader, createByteReader } from './byte-reader.ts';
import { createDeadline, type Deadline } from './deadline.ts';
import { connectionOf, type DeviceConnection, exchange, isRead, StaleConnection } from './exchange.ts';
import { withFaultStatus } from './fault-status.ts';
import { addedHeaders, checkRequest, isWebSocket, type PageOrigin } from './header-rules.ts';
import {
  type Framing,
  type Headers11,
  headerOf,
  listOf,
  MessageFault,
  type RequestHead,
  readRequest,
  requestFraming,
  writeHead,
} from './http-message.ts';
import { faultPage, type Language } from './pages.ts';
import type { ConsoleSession, Opening } from './sessions.ts';

/** A response of the hub itself. */
export interface OwnResponse {
  readonly status: number;
  readonly headers: Headers11;
  readonly body: string;
}

export interface ClientDeps {
  readonly scheme: PageOrigin['scheme'];
  readonly port: number;
  /** IP address of the browser. */
  readonly ip: string;
  /** The session that the cookies of the request name; undefined if it has ended. */
  readonly find: (request: RequestHead) => ConsoleSession | undefined;
  /** Throws a HubError if the user may not use the device any more. */
  readonly check: (session: ConsoleSession) => void;
  readonly openDevice: (session: ConsoleSession) => Promise<DeviceWeb>;
  /** Whether a bearer token is one of the hub, which no device may see. */
  readonly isOwnToken: (token: string) => boolean;
  /** Answers the requests below `ownPath`; `body`: that of a POST. */
  readonly own: (request: RequestHead, page: PageOrigin, body: string, ip: string) => OwnResponse;
  /** Turns the problem of a device into a HubError; returns other errors as they are. */
  readonly problemOf: (error: unknown, what: string) => unknown;
  /** The page of the hub that leads to the device. */
  readonly backTo: (page: PageOrigin, opening: Opening | undefined) => string;
  readonly language: (request: RequestHead) => Language;
  readonly times: Timing['deviceConsole'];
  readonly log: Log;
}

/** No device has this path. */
export const ownPath = '/_signalbox/';
export const openPath = `${ownPath}open`;
const maxFormBytes = 1024;
export const maxOpenOfSession = 32;

/** Serves the connection until it ends. Never rejects. */
export async function serveClient(client: Stream, deps: ClientDeps): Promise<void> {
  const reader = createByteReader(client, 400);
  const deadline = createDeadline();
  const connection: Connection = { client, reader, deadline, isClosed: false };
  void client.closed.then(() => {
    connection.isClosed = true;
    deadline.close();
    connection.device?.stream.reset('cancelled');
  });
  try {
    while (await serveOne(connection, deps));
    client.end();
    // The browser ends its side, too.
    deadline.start(deps.times.closeMs, () => client.reset('timedOut'));
    while ((await reader.next()) !== undefined);
    await client.closed;
  } catch {
    // The browser has broken off, or sends what has no answer.
    client.reset('cancelled');
  }
}

interface Connection {
  readonly client: Stream;
  readonly reader: ByteReader;
  /** Of what the connection waits for at the moment. */
  readonly deadline: Deadline;
  isClosed: boolean;
  /** The origin of the last request, and its `Host`. */
  page?: { readonly host: string; readonly origin: PageOrigin };
  /** Serves a request, or has served one for this session. */
  device?: DeviceConnection;
  session?: ConsoleSession;
}

async function serveOne(connection: Connection, deps: ClientDeps): Promise<boolean> {
  const { client, reader, deadline } = connection;
  deadline.start(deps.times.requestMs, () => client.reset('timedOut'));
  let request: RequestHead | undefined;
  let session: ConsoleSession | undefined;
  try {
    const text = await reader.head();
    if (text === undefined) return false;
    request = readRequest(text);
    const framing = requestFraming(request);
    const page = pageOf(request, connection, deps);
    if (request.target.startsWith(ownPath)) return await answerOwn(client, reader, { request, framing, page }, deps);
    deadline.stop();
    session = deps.find(request);
    if (session === undefined || session.authority !== page.authority) {
      throw new HubError('notLoggedIn', 'this page has no session');
    }
    checkRequest(request, page);
    deps.check(session);
    return await pass(connection, { request: passedCredentials(request, session, deps), framing, page, session }, deps);
  } catch (error) {
    const response = request && faultResponse(error, request, session, deps);
    if (response) await send(client, request, response);
    else if (error instanceof MessageFault) await send(client, undefined, plain(error.status, error.message));
    else throw error;
    return false;
  } finally {
    deadline.stop();
  }
}

/** Of the name in `Host`, with the port of the listener: others are not addresses of a console. */
function pageOf({ headers }: RequestHead, connection: Connection, { scheme, port }: ClientDeps): PageOrigin {
  const host = headerOf(headers, 'host') ?? '';
  if (connection.page?.host === host) return connection.page.origin;
  const authority = host.toLowerCase();
  const url = /[/?#@\\\s]/.test(authority) ? null : URL.parse(`${scheme}://${authority}`);
  if (url === null || url.host !== authority.replace(/:(80|443)$/, (usual) => (url.port === '' ? '' : usual))) {
    throw new MessageFault(400, 'Host is not valid');
  }
  if (Number(url.port || { http: 80, https: 443 }[scheme]) !== port)
    throw new MessageFault(421, 'the port in Host is wrong');
  const origin: PageOrigin = { scheme, authority: url.host };
  connection.page = { host, origin };
  return origin;
}

interface Passed {
  readonly request: RequestHead;
  readonly framing: Framing;
  readonly page: PageOrigin;
  readonly session: ConsoleSession;
}

async function pass(connection: Connection, of: Passed, deps: ClientDeps): Promise<boolean> {
  const { request, framing, session } = of;
  const { client, reader, deadline } = connection;
  if (isWebSocket(request.headers) && framing.kind !== 'none')
    throw new MessageFault(400, 'a WebSocket handshake has no body');
  if (session.open.size >= maxOpenOfSession) {
    throw new HubError('tooMany', `a page may have at most ${maxOpenOfSession} requests at a time`, { http: 503 });
  }
  const stop = () => {
    connection.device?.stream.reset('cancelled');
    client.reset('cancelled');
  };
  session.open.add(stop);
  try {
    for (;;) {
      const device = keptFor(connection, of) ?? (await openFor(connection, session, deps));
      try {
        return await exchange({
          ...{ ...of, client, reader, deadline, device, jar: session.jar, times: deps.times },
          onChallenge() {
            session.mayHaveOthers = false;
          },
        });
      } catch (error) {
        if (!(error instanceof StaleConnection)) throw error;
      }
    }
  } finally {
    session.open.delete(stop);
  }
}

function keptFor(connection: Connection, { request, framing, session }: Passed): DeviceConnection | undefined {
  const { device } = connection;
  const isMeant = isRead(request, framing) && !isWebSocket(request.headers) && connection.session === session;
  if (device === undefined || !isMeant || !device.mayServe || !device.reader.isQuiet()) return undefined;
  device.isReused = true;
  return device;
}

async function openFor(connection: Connection, session: ConsoleSession, deps: ClientDeps): Promise<DeviceConnection> {
  connection.device?.stream.reset('cancelled');
  const device = connectionOf(await deps.openDevice(session));
  connection.device = device;
  connection.session = session;
  if (connection.isClosed) device.stream.reset('cancelled');
  return device;
}

/**
 * The request without credentials that are not for the device: tokens of the hub, which programs may send with every
 * request, and what a browser has stored for the device that had this origin before. It sends that unasked.
 */
function passedCredentials(
  request: RequestHead,
  { mayHaveOthers }: ConsoleSession,
  { isOwnToken }: ClientDeps,
): RequestHead {
  if (headerOf(request.headers, 'authorization') === undefined) return request;
  const headers = request.headers.filter(([name, value]) => {
    if (name !== 'authorization') return true;
    const token = /^Bearer +(\S+)$/i.exec(value)?.[1];
    return token === undefined ? !mayHaveOthers : !isOwnToken(token);
  });
  return { ...request, headers };
}

async function answerOwn(
  client: Stream,
  reader: ByteReader,
  { request, framing, page }: Omit<Passed, 'session'>,
  deps: ClientDeps,
): Promise<boolean> {
  let body = '';
  const next = reader.body(framing);
  for (let bytes = await next(); bytes !== undefined; bytes = await next()) {
    body += Buffer.from(bytes).toString('latin1');
    if (body.length > maxFormBytes) throw new MessageFault(413, `a form has at most ${maxFormBytes} bytes`);
  }
  return await send(client, request, deps.own(request, page, body, deps.ip));
}

function faultResponse(
  error: unknown,
  request: RequestHead,
  session: ConsoleSession | undefined,
  deps: ClientDeps,
): OwnResponse | undefined {
  const known = deps.problemOf(error, session?.sn ?? 'the device');
  if (known instanceof HubError) return faultOf(request, known.result, known.message, session, deps);
  if (!(known instanceof MessageFault)) return undefined;
  const result = known.status === 502 ? 'invalidData' : 'notPermitted';
  return { ...faultOf(request, result, known.message, session, deps), status: known.status };
}

/** A page for people, one line for programs. */
export function faultOf(
  request: RequestHead,
  result: ResultName,
  message: string,
  opening: Opening | undefined,
  deps: Pick<ClientDeps, 'backTo' | 'language' | 'scheme'>,
): OwnResponse {
  const status = withFaultStatus(result);
  if (!(headerOf(request.headers, 'accept') ?? '').includes('text/html')) return plain(status, message);
  const page = { scheme: deps.scheme, authority: headerOf(request.headers, 'host') ?? '' };
  const html = faultPage(result, message, deps.language(request), { url: deps.backTo(page, opening) });
  return htmlPage(status, html);
}

function plain(status: number, text: string): OwnResponse {
  return { status, headers: [['content-type', 'text/plain; charset=utf-8'], ...ownHeaders()], body: `${text}\n` };
}

export function htmlPage(status: number, body: string, nonce?: string): OwnResponse {
  return { status, headers: [['content-type', 'text/html; charset=utf-8'], ...ownHeaders(nonce)], body };
}

/** As for the page of a device, with a policy for the hub's own pages. */
export function ownHeaders(nonce?: string): Headers11 {
  const policy = [
    ...["default-src 'none'", "style-src 'unsafe-inline'", "form-action 'self'", "frame-ancestors 'none'"],
    ...(nonce === undefined ? [] : [`script-src 'nonce-${nonce}'`]),
  ].join('; ');
  const others = addedHeaders({ scheme: 'https', authority: '' }).filter(
    ([name]) => !['content-security-policy', 'cross-origin-opener-policy'].includes(name),
  );
  return [['content-security-policy', policy], ...others];
}

/** Returns whether the connection stays open. */
async function send(client: Stream, request: RequestHead | undefined, response: OwnResponse): Promise<boolean> {
  const { status, headers, body } = response;
  const mayStay = status < 400 && request !== undefined && !listOf(request.headers, 'connection').includes('close');
  const bytes = Buffer.from(body);
  const sent: Headers11 = [
    ...headers,
    ['content-length', String(bytes.length)],
    ['connection', mayStay ? 'keep-alive' : 'close'],
  ];
  const first = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`;
  await client.write(writeHead(first, sent, request?.method === 'HEAD' ? undefined : bytes));
  return mayStay;
}
