/** Limited GET requests to one configured address: time limits, redirects, authentication, typed failures. */

import { connectionStates } from '../../contract/streams.ts';
import { fetchFrom, httpPortOf } from '../../lib/fetch-from.ts';
import { timing } from '../../timing.ts';
import { broken, FetchFailure, failure, hostOf } from '../connection/fetch-failure.ts';
import { Authorizer, type Credentials } from '../net/http-auth.ts';
import type { EngineOutgoing } from '../net/outgoing.ts';

/** Requested bytes of a resource. */
interface ByteRange {
  readonly from: number;
  readonly length: number;
}

interface GetterOptions extends Credentials {
  readonly url: string;
  readonly outgoing: EngineOutgoing;
  readonly signal: AbortSignal;
  /** Maximum time until the response begins. */
  readonly answerMs?: number;
  /** Maximum pause within a body. */
  readonly pauseMs?: number;
}

const maxRedirects = 5;
/** Limit for a playlist that names ever more servers. */
const maxServers = 100;
const redirects = new Set([301, 302, 303, 307, 308]);

export class HttpGetter {
  private readonly options: GetterOptions;
  private readonly origin: string;
  private readonly authorizer: Authorizer;
  /** The address of each server, by scheme, host and port, while it answers. */
  private readonly addresses = new Map<string, string>();

  constructor(options: GetterOptions) {
    this.options = options;
    this.origin = originOf(options.url);
    this.authorizer = new Authorizer(options);
  }

  /**
   * Resolves at the start of a successful response. `url`: the address after redirects, which relative addresses refer
   * to. Throws FetchFailure; so does `body` if it is cut off or pauses for too long.
   */
  async get(address: string, range?: ByteRange) {
    let url = address;
    for (let step = 0; step <= maxRedirects; step++) {
      const response = await this.ask(url, range);
      const { status, headers } = response;
      const next = redirects.has(status) ? headers.get('location') : null;
      if (response.ok) return { url, body: this.bodyOf(response, url) };
      await response.body?.cancel();
      if (next !== null) {
        url = follow(next, url);
      } else if (
        status !== 401 ||
        !this.mayKnow(url) ||
        !this.authorizer.learn(headers.get('www-authenticate') ?? '')
      ) {
        throw refusal(status, url);
      }
    }
    throw failure(connectionStates.refused, 'refused', `more than ${maxRedirects} redirects`, { permanent: true });
  }

  /** Returns text of limited size. */
  async text(address: string, maxBytes: number): Promise<{ readonly url: string; readonly text: string }> {
    const { url, body } = await this.get(address);
    return { url, text: (await gatherBody(body, maxBytes)).toString('utf8') };
  }

  /** Credentials go to the configured server only, regardless of redirects or playlist entries. */
  private mayKnow(url: string): boolean {
    return originOf(url) === this.origin;
  }

  private async ask(url: string, range: ByteRange | undefined): Promise<Response> {
    const { pathname, search } = new URL(url);
    const authorization = this.mayKnow(url) ? this.authorizer.header('GET', pathname + search) : undefined;
    const answerMs = this.options.answerMs ?? timing.httpPull.answerMs;
    const address = await this.addressOf(url);
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), answerMs);
    try {
      return await fetchFrom(address, url, {
        redirect: 'manual',
        signal: AbortSignal.any([this.options.signal, late.signal]),
        headers: {
          'user-agent': 'Signalbox',
          ...(authorization && { authorization }),
          ...(range && { range: `bytes=${range.from}-${range.from + range.length - 1}` }),
        },
      });
    } catch (error) {
      this.addresses.clear();
      if (late.signal.aborted && !this.options.signal.aborted) throw await this.silence(address, url, answerMs);
      throw toFailure(error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Resolved and checked once per server, including servers of redirects and playlist entries. */
  private async addressOf(url: string): Promise<string> {
    const server = originOf(url);
    const known = this.addresses.get(server);
    if (known !== undefined) return known;
    const target = new URL(url);
    const host = target.hostname.replace(/^\[|\]$/g, '');
    const address = await this.options.outgoing.choose({ host, port: httpPortOf(target) });
    if (this.addresses.size >= maxServers) this.addresses.clear();
    this.addresses.set(server, address);
    return address;
  }

  /** No answer in time. The runtime does not report the phase, so a plain TCP connection attempt finds out. */
  private async silence(address: string, url: string, afterMs: number): Promise<FetchFailure> {
    const text = `no answer in ${afterMs / 1000} s`;
    return (await this.options.outgoing.accepts(address, httpPortOf(new URL(url))))
      ? failure(connectionStates.handshakeFailed, 'timeout', text)
      : failure(connectionStates.tcpFailed, 'unreachable', text);
  }

  private async *bodyOf(response: Response, url: string): AsyncGenerator<Uint8Array> {
    const reader = response.body?.getReader();
    if (!reader) return;
    const pauseMs = this.options.pauseMs ?? timing.httpPull.pauseMs;
    try {
      for (;;) {
        const paused = Promise.withResolvers<never>();
        const text = `${hostOf(url)} sent nothing for ${pauseMs / 1000} s`;
        const timer = setTimeout(() => paused.reject(broken('stalled', text)), pauseMs);
        try {
          const { done, value } = await Promise.race([reader.read(), paused.promise]);
          if (done) return;
          yield value;
        } finally {
          clearTimeout(timer);
        }
      }
    } catch (error) {
      throw error instanceof FetchFailure ? error : broken('closedByPeer', `${hostOf(url)} broke off`);
    } finally {
      // Also when the consumer stops: the connection is no longer needed.
      reader.cancel().catch(() => {});
    }
  }
}

export async function gatherBody(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body) {
    size += part.length;
    if (size > maxBytes) throw failure(connectionStates.streamFailed, 'badInput', `more than ${maxBytes} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : '';
}

function follow(location: string, from: string): string {
  const next = URL.canParse(location, from) ? new URL(location, from) : undefined;
  if (next?.protocol !== 'http:' && next?.protocol !== 'https:') {
    throw failure(connectionStates.refused, 'refused', 'redirected to what is no HTTP address', { permanent: true });
  }
  next.username = next.password = '';
  return next.href;
}

function refusal(status: number, url: string): FetchFailure {
  const text = `${hostOf(url)} answered ${status}`;
  if (status === 401 || status === 403 || status === 407) {
    return failure(connectionStates.authorizationFailed, 'notAuthorized', text, { permanent: true });
  }
  // A stream that does not exist yet may start at any time.
  if (status === 404 || status === 410) return failure(connectionStates.streamFailed, 'streamRefused', text);
  return failure(connectionStates.refused, 'refused', text);
}

const unreachable = new Set(['EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'ECONNABORTED', 'EADDRNOTAVAIL']);

function toFailure(error: unknown): FetchFailure {
  if (error instanceof FetchFailure) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const { tcpFailed, handshakeFailed } = connectionStates;
  if (code === 'ECONNREFUSED') return failure(tcpFailed, 'refused', 'connection refused');
  if (unreachable.has(code)) return failure(tcpFailed, 'unreachable', `no connection (${code})`);
  if (code === 'EPROTO') return failure(handshakeFailed, 'tlsFailed', 'the server speaks no TLS');
  if (/CERT|SIGNATURE|TLS|SSL|HOSTNAME/i.test(code)) {
    return failure(handshakeFailed, 'tlsFailed', `certificate not accepted (${code})`, { permanent: true });
  }
  return failure(handshakeFailed, 'handshakeFailed', `no HTTP answer (${code || 'unknown'})`);
}
