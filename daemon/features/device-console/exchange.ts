/** One request of a browser and the response of the device, or the WebSocket that they become. */
import { createHash } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { DeviceWeb } from '../../devices/ports.ts';
import { DeviceProblem } from '../../devices/problem.ts';
import type { Stream } from '../../link/duplex.ts';
import type { Timing } from '../../timing.ts';
import { type ByteReader, createByteReader, type NextPart } from './byte-reader.ts';
import type { CookieJar } from './cookie-jar.ts';
import type { Deadline } from './deadline.ts';
import { isWebSocket, type PageOrigin, requestHeaders, responseHeaders, webSocketHeaders } from './header-rules.ts';
import {
  type Framing,
  type Headers11,
  headerOf,
  listOf,
  MessageFault,
  type RequestHead,
  type ResponseHead,
  readResponse,
  responseFraming,
  valuesOf,
  writeHead,
} from './http-message.ts';

/** A connection to a device. After a read it may serve the next one. */
export interface DeviceConnection extends DeviceWeb {
  readonly reader: ByteReader;
  isReused: boolean;
  mayServe: boolean;
}

export function connectionOf(web: DeviceWeb): DeviceConnection {
  const reader = createByteReader(web.stream, 502);
  return { ...web, reader, isReused: false, mayServe: false };
}

/** The device had ended a connection that had served a request before: the read is sent again on a new one. */
export class StaleConnection extends Error {
  override readonly name = 'StaleConnection';
}

/** A write gets a new connection: a device that ends a kept one loses what is sent then. */
export const isRead = ({ method }: RequestHead, framing: Framing): boolean =>
  framing.kind === 'none' && (method === 'GET' || method === 'HEAD');
const endsAfter = ({ headers }: { readonly headers: Headers11 }): boolean =>
  listOf(headers, 'connection').includes('close');

export interface Exchange {
  readonly request: RequestHead;
  readonly framing: Framing;
  readonly page: PageOrigin;
  readonly jar: CookieJar;
  readonly client: Stream;
  readonly reader: ByteReader;
  readonly device: DeviceConnection;
  readonly deadline: Deadline;
  readonly times: Timing['deviceConsole'];
  /** Called when the device asks for credentials. */
  readonly onChallenge: () => void;
}

const maxInterim = 8;
const unauthorized = 401;
const smallBytes = 16 << 10;
const reads = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Passes the request on and returns whether the connection of the browser can be used for another one. The caller resets
 * the stream of the device when the browser leaves. Throws a DeviceProblem, MessageFault or StaleConnection while the
 * browser has got nothing; later, a fault ends its connection.
 */
export async function exchange(of: Exchange): Promise<boolean> {
  const { request, client, device, deadline, times } = of;
  const progress = { hasHead: false, isLate: false };
  const end = () => device.stream.reset('cancelled');
  const late = () => {
    progress.isLate = true;
    end();
  };
  const answerMs = reads.has(request.method) ? times.answerMs : times.slowAnswerMs;
  deadline.start(answerMs, late);
  // What is still sent after the beginning of the response does not count as a part of it.
  let isAnswered = false;
  const body = createBodySender(of, () => {
    if (!isAnswered) deadline.renew();
  });
  try {
    const { reader } = device;
    device.mayServe = false;
    await device.stream.write(requestHead(of));
    // If the browser breaks off, or the device while it is sent to, the response says so or never comes.
    body.send().catch((fault: unknown) => {
      if (!(fault instanceof DeviceProblem)) end();
    });
    const response = await responseHead(reader, request);
    isAnswered = true;
    deadline.stop();
    const began = () => {
      progress.hasHead = true;
    };
    if (response.status !== 101) return await respond(of, response, reader, { isSent: body.isSent, began });
    await tunnel(of, response, reader, began);
    return false;
  } catch (error) {
    if (progress.hasHead) {
      client.reset('cancelled');
      return false;
    }
    if (device.isReused && !progress.isLate && error instanceof DeviceProblem) throw new StaleConnection();
    if (progress.isLate) throw new DeviceProblem('timeout', `the device did not answer within ${answerMs / 1000} s`);
    throw body.fault() instanceof MessageFault ? body.fault() : error;
  } finally {
    deadline.stop();
    if (device.mayServe) device.reader.readAhead();
    else end();
  }
}

function requestHead({ request, framing, page, jar, device }: Exchange): Uint8Array {
  const { method, target, headers } = request;
  const passed = requestHeaders(headers, page, device.place, jar.header(target));
  const more: Headers11 = isWebSocket(headers)
    ? webSocketHeaders(headers)
    : [
        ...framingHeaders(framing),
        ['connection', isRead(request, framing) && !endsAfter(request) ? 'keep-alive' : 'close'],
      ];
  return writeHead(`${method} ${target} HTTP/1.1`, [...passed, ...more]);
}

function framingHeaders(framing: Framing): Headers11 {
  if (framing.kind === 'none') return [];
  return framing.kind === 'length' ? [['content-length', String(framing.bytes)]] : [['transfer-encoding', 'chunked']];
}

function createBodySender({ framing, reader, client, request, device }: Exchange, note: () => void) {
  let isSent = framing.kind === 'none';
  let fault: unknown;
  return {
    isSent: () => isSent,
    fault: () => fault,
    async send(): Promise<void> {
      try {
        if (listOf(request.headers, 'expect').includes('100-continue')) {
          await client.write(Buffer.from('HTTP/1.1 100 Continue\r\n\r\n'));
        }
        if (framing.kind !== 'none') await pass(reader.body(framing), framing.kind, device.stream.write, note);
        isSent = true;
        reader.readAhead();
      } catch (error) {
        fault = error;
        throw error;
      }
    },
  };
}

/** Passes a body on, as fast as it is taken. Its length has no limit: recordings are large, and live pictures have no end. */
async function pass(
  next: NextPart,
  as: Framing['kind'],
  write: (bytes: Uint8Array) => Promise<void>,
  note: () => void,
): Promise<void> {
  const isChunked = as === 'chunked' || as === 'close';
  for (let bytes = await next(); bytes !== undefined; bytes = await next()) {
    await write(isChunked ? chunkOf(bytes) : bytes);
    note();
  }
  if (isChunked) await write(Buffer.from('0\r\n\r\n'));
}

function chunkOf(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
}

async function responseHead(reader: ByteReader, { headers }: RequestHead): Promise<ResponseHead> {
  for (let count = 0; count < maxInterim; count++) {
    const text = await reader.head();
    if (text === undefined) throw new DeviceProblem('invalidAnswer', 'the device closed the connection');
    const response = readResponse(text);
    if (response.status >= 200) return response;
    if (response.status !== 101) continue;
    if (!isWebSocket(headers)) break;
    return response;
  }
  throw new MessageFault(502, 'the device sent an unexpected response');
}

interface Responding {
  readonly isSent: () => boolean;
  /** Called before the first byte for the browser. */
  readonly began: () => void;
}

async function respond(of: Exchange, response: ResponseHead, reader: ByteReader, { isSent, began }: Responding) {
  const { request, client, device, page, jar, deadline, times } = of;
  const { status, headers } = response;
  if (device.isAgent && status === 502 && /\btls_certificate_error\b/.test(headerOf(headers, 'proxy-status') ?? '')) {
    throw new DeviceProblem(
      'certificateChanged',
      'the certificate of the device is not the one that its agent accepts',
    );
  }
  const framing = responseFraming(response, request.method);
  if (status === unauthorized) of.onChallenge();
  const passed = responseHeaders(headers, page, device.place, request.target);
  for (const cookie of valuesOf(headers, 'set-cookie')) jar.set(cookie, request.target);
  const sent: Framing = framing.kind === 'close' ? { kind: 'chunked' } : framing;
  const mayStay = isSent() && !endsAfter(request);
  const length = headerOf(headers, 'content-length');
  const lengthOnly: Headers11 =
    framing.kind === 'none' && length !== undefined && status !== 204 ? [['content-length', length]] : [];
  passed.push(...framingHeaders(sent), ...lengthOnly, ['connection', mayStay ? 'keep-alive' : 'close']);
  const head = (body?: Uint8Array) =>
    writeHead(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Unknown'}`, passed, body);
  deadline.start(times.stallMs, () => {
    device.stream.reset('timedOut');
    client.reset('timedOut');
  });
  try {
    began();
    // Most responses are one packet then.
    const whole = reader.whole(framing, smallBytes);
    await client.write(head(whole));
    if (whole === undefined) await pass(reader.body(framing), sent.kind, client.write, deadline.renew);
    const isKept = response.isPersistent && framing.kind !== 'close' && !endsAfter(response);
    device.mayServe = mayStay && isKept && isRead(request, of.framing);
  } finally {
    deadline.stop();
  }
  return mayStay;
}

/** Both ends speak WebSocket from here on; neither is read faster than the other one takes it. */
async function tunnel(of: Exchange, { headers }: ResponseHead, from: ByteReader, began: () => void): Promise<void> {
  const { request, client, reader, device, jar, times } = of;
  const key = headerOf(request.headers, 'sec-websocket-key') ?? '';
  const protocol = headerOf(headers, 'sec-websocket-protocol');
  const isOffered =
    protocol === undefined || listOf(request.headers, 'sec-websocket-protocol').includes(protocol.toLowerCase());
  const isValid = isWebSocket(headers) && headerOf(headers, 'sec-websocket-accept') === acceptOf(key);
  if (!isValid || !isOffered || headerOf(headers, 'sec-websocket-extensions') !== undefined) {
    throw new MessageFault(502, 'the WebSocket handshake of the device is not valid');
  }
  for (const cookie of valuesOf(headers, 'set-cookie')) jar.set(cookie, request.target);
  began();
  await client.write(
    writeHead('HTTP/1.1 101 Switching Protocols', [
      ['connection', 'Upgrade'],
      ['upgrade', 'websocket'],
      ['sec-websocket-accept', acceptOf(key)],
      ...(protocol === undefined ? [] : ([['sec-websocket-protocol', protocol]] as const)),
    ]),
  );
  const both = [splice(reader, device.stream), splice(from, client)];
  // The side that is told of the end has this long to end, too.
  const end = () => {
    device.stream.reset('cancelled');
    client.reset('cancelled');
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  void Promise.race(both).then(() => {
    timer = setTimeout(end, times.closeMs);
  }, end);
  await Promise.all(both).finally(() => clearTimeout(timer));
}

async function splice(from: ByteReader, to: Stream): Promise<void> {
  for (let bytes = await from.next(); bytes !== undefined; bytes = await from.next()) await to.write(bytes);
  to.end();
}

/** RFC 6455, section 4.2.2. */
function acceptOf(key: string): string {
  return createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
}
