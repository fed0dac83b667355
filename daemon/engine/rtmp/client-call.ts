/**
 * Common part of push and pull: from a host name to a `connect` that the server accepted. One attempt; every stage has
 * its own time limit. Failures are typed and contain no secrets.
 */

import { timing } from '../../timing.ts';
import { connectFailure } from '../net/connect-failure.ts';
import type { EngineOutgoing } from '../net/outgoing.ts';
import { type ConnectAttempt, callConnect, nextTry, plainAttempt } from './client-dialogue.ts';
import { noResponse, RtmpFailure, type RtmpStage, toRtmpFailure, withMaskedQuote } from './client-failure.ts';
import { ClientLink, LinkError } from './client-link.ts';
import { readInfo } from './commands.ts';
import { parseRtmpUrl, type RtmpTarget } from './url.ts';

export interface ClientCallOptions {
  readonly url: string;
  /** Stream key; empty if it is the last part of the URL. */
  readonly key: string;
  readonly outgoing: EngineOutgoing;
  /** Take precedence over those in the URL. */
  readonly username?: string;
  readonly password?: string;
  /** RTMPS: false accepts any certificate. */
  readonly verifyCertificate: boolean;
  /** PEM of a private certificate authority. */
  readonly ca?: string;
  readonly stageTimeoutMs?: number;
  /** Called on entering each stage; `stream` means that media may flow. */
  onStage(stage: RtmpStage): void;
}

/** Plain, method and response; or plain and credentials in tcUrl. */
const maxConnectTries = 3;

export class ClientCall {
  stage: RtmpStage = 'dns';
  link: ClientLink | undefined;
  /** Known after `connect`. */
  key = '';
  private password = '';
  private readonly options: ClientCallOptions;
  private readonly aborter = new AbortController();

  constructor(options: ClientCallOptions) {
    this.options = options;
  }

  /** Connects as many times as the server's authentication method requires. */
  async connect(): Promise<ClientLink> {
    const target = this.target();
    const addresses = await this.inStage('dns', () => this.options.outgoing.resolve(target));
    let attempt: ConnectAttempt = plainAttempt;
    for (let tries = 1; ; tries++) {
      const link = await this.open(target, addresses);
      const stage = attempt === plainAttempt ? 'connect' : 'auth';
      const answer = await this.inStage(stage, () => callConnect(link, target, attempt));
      if (answer.name === '_result') return link;
      link.close('refused');
      const info = readInfo(answer.args[0] ?? answer.object);
      const next = nextTry(target, info, attempt);
      if (next instanceof RtmpFailure) throw next;
      if (tries === maxConnectTries) throw new RtmpFailure('auth', 'refused', { permanent: true });
      attempt = next;
    }
  }

  /** Performs the work of one stage within its time limit. */
  async inStage<T>(stage: RtmpStage, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.enter(stage);
    const late = AbortSignal.timeout(this.stageTimeoutMs);
    const signal = AbortSignal.any([this.aborter.signal, late]);
    const aborted = Promise.withResolvers<never>();
    signal.addEventListener('abort', () => aborted.reject(signal.reason), { once: true });
    try {
      signal.throwIfAborted();
      return await Promise.race([work(signal), aborted.promise]);
    } catch (error) {
      this.link?.close('given up');
      throw late.aborted ? noResponse(stage) : toRtmpFailure(stage, error);
    }
  }

  /** Creates the message stream for media. Returns undefined if the server created none. */
  async createStream(link: ClientLink, otherwise: Promise<void>): Promise<number | undefined> {
    const created = await Promise.race([link.call('createStream', null), otherwise]);
    const [streamId] = created?.args ?? [];
    return created?.name === '_result' && typeof streamId === 'number' ? streamId >>> 0 : undefined;
  }

  enter(stage: RtmpStage): void {
    this.stage = stage;
    this.options.onStage(stage);
  }

  /** Gives up immediately, at any stage. */
  abort(): void {
    this.aborter.abort(new LinkError('stopped'));
    this.link?.close('stopped');
  }

  describe(error: unknown): RtmpFailure {
    return withMaskedQuote(toRtmpFailure(this.stage, error), [this.key, this.password]);
  }

  private target(): RtmpTarget {
    const { url, key, username, password } = this.options;
    const parsed = parseRtmpUrl(url, key);
    if (!parsed) throw new RtmpFailure('dns', 'not an RTMP address with a stream key', { permanent: true });
    this.key = parsed.key;
    this.password = username ? (password ?? '') : parsed.password;
    return { ...parsed, username: username || parsed.username, password: this.password };
  }

  private async open(target: RtmpTarget, addresses: readonly string[]): Promise<ClientLink> {
    const link = await this.inStage('tcp', (signal) => this.openAny(target, addresses, signal));
    this.link = link;
    if (target.isSecure) await this.inStage('tls', () => link.secure());
    await this.inStage('handshake', () => link.shakeHands());
    return link;
  }

  private async openAny(target: RtmpTarget, addresses: readonly string[], signal: AbortSignal): Promise<ClientLink> {
    const { verifyCertificate: verify, ca } = this.options;
    const tls = { serverName: target.host, verify, ...(ca === undefined ? {} : { ca }) };
    const share = this.stageTimeoutMs / addresses.length;
    let last: unknown;
    for (const address of addresses) {
      signal.throwIfAborted();
      const attempt = AbortSignal.any([signal, AbortSignal.timeout(share)]);
      try {
        return await ClientLink.connect({ address, port: target.port, ...(target.isSecure ? { tls } : {}) }, attempt);
      } catch (error) {
        last = await connectFailure(error, address);
      }
    }
    throw last instanceof DOMException ? new LinkError('no answer') : last;
  }

  private get stageTimeoutMs(): number {
    return this.options.stageTimeoutMs ?? timing.rtmpClient.stageMs;
  }
}
