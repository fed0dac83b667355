/**
 * Common part of push and pull: from a host name to a `connect` that the server accepted. One attempt; every stage has
 * its own time limit. Failures are typed and contain no secrets.
 */

import { timing } from '../../timing.ts';
import { connectFailure, type EngineOutgoing } from '../net/outgoing.ts';
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
  /** RTMPS: PEM of a private certificate authority. */
  readonly ca?: string;
  readonly stageTimeoutMs?: number;
  /** Called on entering each stage; `stream` means that media may flow. */
  onStage(stage: RtmpStage): void;
  /** Called once, with the failure, or with undefined after stop(). */
  onEnd(failure: RtmpFailure | undefined): void;
}

/** Ends a stream with its failure. */
export type EndStream = (failure: RtmpFailure) => void;

/** What push and pull do differently. */
interface Direction {
  readonly stage: 'publish' | 'play';
  /** Opens the stream: rejects if the server refuses it. */
  open(link: ClientLink, end: EndStream): Promise<void>;
  /** Called when media may flow. Returns a function that ends the watch. */
  watch(link: ClientLink, end: EndStream): () => void;
}

/** Plain, method and response; or plain and credentials in tcUrl. */
const maxConnectTries = 3;

export class ClientCall {
  stage: RtmpStage = 'dns';
  link: ClientLink | undefined;
  /** Known after `connect`. */
  key = '';
  private password = '';
  /** The end was requested. */
  isStopping = false;
  private readonly options: ClientCallOptions;
  private readonly aborter = new AbortController();

  constructor(options: ClientCallOptions) {
    this.options = options;
  }

  /** Runs the whole attempt, then calls `onEnd`. `ended` is called before that, with the reason. */
  async run(direction: Direction, ended: (reason: string) => void = () => {}): Promise<void> {
    const failure = await this.stream(direction).catch((error) => (this.isStopping ? undefined : error));
    const described = failure === undefined ? undefined : this.describe(failure);
    ended(described?.message ?? 'stopped');
    this.options.onEnd(described);
  }

  private async stream({ stage, open, watch }: Direction): Promise<RtmpFailure | undefined> {
    const link = await this.connect();
    const end = Promise.withResolvers<RtmpFailure | undefined>();
    link.closed
      .then((error) => end.resolve(this.isStopping ? undefined : toRtmpFailure('stream', error)))
      .catch(end.reject);
    await this.inStage(stage, () => open(link, end.resolve));
    this.enter('stream');
    const unwatch = watch(link, end.resolve);
    const failure = await end.promise;
    unwatch();
    link.close(failure?.message ?? 'stopped');
    return failure;
  }

  /** Connects as many times as the server's authentication method requires. */
  private async connect(): Promise<ClientLink> {
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
  private async inStage<T>(stage: RtmpStage, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
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

  /** Creates the message stream for media. `started`: settles if the server decides before that. */
  async createStream(link: ClientLink, started: Promise<void>): Promise<number> {
    const created = await Promise.race([link.call('createStream', null), started]);
    const [streamId] = created?.args ?? [];
    if (created?.name === '_result' && typeof streamId === 'number') return streamId >>> 0;
    throw new RtmpFailure(this.stage, 'the server made no stream', { permanent: false });
  }

  private enter(stage: RtmpStage): void {
    this.stage = stage;
    this.options.onStage(stage);
  }

  /** Gives up immediately, at any stage. */
  abort(): void {
    this.aborter.abort(new LinkError('stopped'));
    this.link?.close('stopped');
  }

  private describe(error: unknown): RtmpFailure {
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
    const { ca } = this.options;
    const tls = { serverName: target.host, rejectUnauthorized: true, ...(ca !== undefined && { ca }) };
    const share = this.stageTimeoutMs / addresses.length;
    let last: unknown;
    for (const address of addresses) {
      signal.throwIfAborted();
      const attempt = AbortSignal.any([signal, AbortSignal.timeout(share)]);
      try {
        return await ClientLink.connect({ address, port: target.port, ...(target.isSecure && { tls }) }, attempt);
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
