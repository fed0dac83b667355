/** One connection to an RTSP server: requests and responses, authentication, interleaved packets. */

import type { Socket } from 'bun';
import { connectionStates } from '../../contract/streams.ts';
import { timing } from '../../timing.ts';
import { broken, FetchFailure, failure } from '../connection/fetch-failure.ts';
import { Authorizer, type Credentials } from '../net/http-auth.ts';
import { connectFailure, type EngineOutgoing } from '../net/outgoing.ts';
import { encodeMessage, encodePacket, RtspError, type RtspMessage, RtspReader } from './message.ts';

export interface RtspResponse extends RtspMessage {
  readonly status: number;
}

interface RtspClientOptions extends Credentials {
  /** `rtsp[s]://host[:port]/…` */
  readonly url: string;
  readonly outgoing: EngineOutgoing;
  readonly answerMs: number;
  readonly signal: AbortSignal;
}

const defaultPorts = { 'rtsp:': 554, 'rtsps:': 322 } as const;
/** Some servers put padding between packets. */
const maxStrayBytes = 4096;
/** The client sends little; a server that reads none of it is considered gone. */
const maxUnsentBytes = 256 << 10;

export class RtspClient {
  /** Called for each interleaved packet; `payload` is valid only during the call. */
  onPacket: (channel: number, payload: Uint8Array) => void = () => {};
  /** IP address of the server. */
  readonly address: string;
  /** Local IP address of the connection. */
  readonly localAddress: string;
  private readonly options: RtspClientOptions;
  private readonly authorizer: Authorizer;
  private readonly socket: Socket<undefined>;
  private readonly reader: RtspReader;
  private readonly waiting = new Map<number, (response: RtspResponse) => void>();
  private readonly closing = Promise.withResolvers<FetchFailure>();
  /** Resolves with the reason when the connection closes. */
  readonly closed = this.closing.promise;
  private unsent: Buffer[] = [];
  private lastNumber = 0;
  private isGone = false;

  /** Resolves when the connection is established, including TLS. Rejects with a FetchFailure. */
  static async connect(options: RtspClientOptions): Promise<RtspClient> {
    const target = new URL(options.url);
    const host = target.hostname.replace(/^\[|\]$/g, '');
    const isSecure = target.protocol === 'rtsps:';
    const port = Number(target.port) || defaultPorts[isSecure ? 'rtsps:' : 'rtsp:'];
    const address = await options.outgoing.choose({ host, port });
    if (options.signal.aborted) throw broken('closedByPeer', 'stopped');
    let client: RtspClient | undefined;
    const secured = Promise.withResolvers<void>();
    secured.promise.catch(() => {});
    const opening = Bun.connect<undefined>({
      hostname: address,
      port,
      ...(isSecure && { tls: { serverName: host, rejectUnauthorized: true } }),
      socket: {
        open(socket) {
          client = new RtspClient(socket, address, options);
          if (!isSecure) secured.resolve();
        },
        handshake(_, isAccepted, error) {
          if (isAccepted) secured.resolve();
          else secured.reject(error ?? new Error('TLS failed'));
        },
        data: (_, bytes) => client?.receive(bytes),
        drain: () => client?.flush(),
        close: () => {
          secured.reject(new Error('closed'));
          client?.lose(broken('closedByPeer', 'the server closed the connection'));
        },
        error: (_, error) => client?.lose(broken('closedByPeer', `connection lost: ${error.message}`)),
        connectError: () => {},
      },
    });
    try {
      await within(opening, options, () => failure(connectionStates.tcpFailed, 'unreachable', 'no connection in time'));
    } catch (error) {
      opening.then((socket) => socket.terminate()).catch(() => {});
      throw error instanceof FetchFailure ? error : notConnected(await connectFailure(error, address));
    }
    try {
      await within(secured.promise, options, () =>
        failure(connectionStates.handshakeFailed, 'tlsFailed', 'no TLS in time'),
      );
    } catch (error) {
      client?.close();
      if (error instanceof FetchFailure) throw error;
      throw failure(connectionStates.handshakeFailed, 'tlsFailed', 'TLS failed', { permanent: true });
    }
    if (!client) throw failure(connectionStates.tcpFailed, 'unreachable', 'connection closed at once');
    return client;
  }

  private constructor(socket: Socket<undefined>, address: string, options: RtspClientOptions) {
    this.socket = socket;
    this.address = address;
    this.localAddress = socket.localAddress;
    this.options = options;
    this.authorizer = new Authorizer(options);
    this.reader = new RtspReader(
      {
        message: (message) => this.answered(message),
        packet: (channel, payload) => this.onPacket(channel, payload),
      },
      maxStrayBytes,
    );
    socket.setNoDelay(true);
    socket.setKeepAlive(true, timing.tcp.keepAliveMs);
  }

  /** Resolves with a response of any status, after authenticating if required. Rejects with a FetchFailure. */
  async request(method: string, uri: string, headers: Readonly<Record<string, string>> = {}): Promise<RtspResponse> {
    const response = await this.ask(method, uri, headers);
    const challenge = response.headers.get('www-authenticate') ?? '';
    return response.status === 401 && this.authorizer.learn(challenge)
      ? await this.ask(method, uri, headers)
      : response;
  }

  /** Sends a request without waiting for the response. */
  tell(method: string, uri: string, headers: Readonly<Record<string, string>>): void {
    if (!this.isGone) this.send(this.encode(method, uri, headers));
  }

  sendPacket(channel: number, payload: Uint8Array): void {
    if (!this.isGone) this.send(encodePacket(channel, payload));
  }

  close(): void {
    this.lose(broken('closedByPeer', 'stopped'));
    this.socket.end();
  }

  private async ask(method: string, uri: string, headers: Readonly<Record<string, string>>): Promise<RtspResponse> {
    const message = this.encode(method, uri, headers);
    const number = this.lastNumber;
    const answer = new Promise<RtspResponse>((settle) => this.waiting.set(number, settle));
    this.send(message);
    const lost = this.closed.then((cause) => Promise.reject(cause));
    const text = `no answer to ${method} in ${this.options.answerMs / 1000} s`;
    try {
      return await within(Promise.race([answer, lost]), this.options, () =>
        failure(connectionStates.handshakeFailed, 'timeout', text),
      );
    } finally {
      this.waiting.delete(number);
    }
  }

  private encode(method: string, uri: string, headers: Readonly<Record<string, string>>): Buffer {
    const authorization = this.authorizer.header(method, uri);
    return encodeMessage(`${method} ${uri} RTSP/1.0`, {
      CSeq: String(++this.lastNumber),
      'User-Agent': 'Signalbox',
      ...headers,
      ...(authorization && { Authorization: authorization }),
    });
  }

  private answered({ startLine, headers, body }: RtspMessage): void {
    const number = Number(headers.get('cseq'));
    const status = Number(/^RTSP\/\S+ (\d{3})/.exec(startLine)?.[1]);
    if (Number.isNaN(status)) {
      // A request from the server: a plain 200 shows that the client is alive.
      this.send(encodeMessage('RTSP/1.0 200 OK', { CSeq: headers.get('cseq') ?? '0' }));
      return;
    }
    this.waiting.get(number)?.({ startLine, headers, body, status });
  }

  private receive(bytes: Uint8Array): void {
    if (this.isGone) return;
    try {
      this.reader.feed(bytes);
    } catch (error) {
      if (!(error instanceof RtspError)) throw error;
      this.lose(failure(connectionStates.handshakeFailed, 'handshakeFailed', error.message));
      this.socket.terminate();
    }
  }

  private send(bytes: Buffer): void {
    this.unsent.push(bytes);
    this.flush();
    if (this.unsent.reduce((sum, { length }) => sum + length, 0) <= maxUnsentBytes) return;
    this.lose(broken('stalled', 'the server reads nothing'));
    this.socket.terminate();
  }

  private flush(): void {
    for (let next = this.unsent.shift(); next; next = this.unsent.shift()) {
      const written = Math.max(0, this.socket.write(next));
      if (written === next.length) continue;
      this.unsent.unshift(next.subarray(written));
      return;
    }
  }

  private lose(cause: FetchFailure): void {
    if (this.isGone) return;
    this.isGone = true;
    this.closing.resolve(cause);
  }
}

/** Returns the failure that an error response stands for. */
export function refusalOf(method: string, { status }: RtspResponse): FetchFailure {
  const text = `${method} was answered ${status}`;
  if (status === 401 || status === 403) {
    return failure(connectionStates.authorizationFailed, 'notAuthorized', text, { permanent: true });
  }
  // Not permanent: the stream may appear at any time.
  if (status === 404 || status === 410) return failure(connectionStates.streamFailed, 'streamRefused', text);
  return failure(connectionStates.refused, 'refused', text);
}

function notConnected(error: unknown): FetchFailure {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const isRefused = code === 'ECONNREFUSED';
  const text = isRefused ? 'connection refused' : `no connection (${code || 'unknown'})`;
  return failure(connectionStates.tcpFailed, isRefused ? 'refused' : 'unreachable', text);
}

/** Settles like `work`, but rejects with `late()` after `answerMs`, and when the pull is stopped. */
export async function within<T>(
  work: Promise<T>,
  { answerMs, signal }: Pick<RtspClientOptions, 'answerMs' | 'signal'>,
  late: () => FetchFailure,
): Promise<T> {
  const over = Promise.withResolvers<never>();
  const stop = () => over.reject(broken('closedByPeer', 'stopped'));
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  const timer = setTimeout(() => over.reject(late()), answerMs);
  try {
    return await Promise.race([work, over.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}
