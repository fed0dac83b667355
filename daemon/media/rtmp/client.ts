/**
 * Pushes an FLV bus to another RTMP server. One attempt: it ends with a typed failure or a stop, and whoever started it
 * decides about the next. Every stage has its own time limit.
 */
import { lookup } from 'node:dns/promises';
import type { FlvBus } from '../flv/flv-bus.ts';
import { BusFeed, type FeedStats } from './bus-feed.ts';
import { ClientLink, LinkError } from './client-link.ts';
import { readInfo } from './commands.ts';
import { type ConnectAttempt, callConnect, nextTry, plainAttempt, readPublishStatus } from './push-dialogue.ts';
import { isAddress, PushFailure, type PushStage, toPushFailure } from './push-failure.ts';
import { parseRtmpUrl, type RtmpTarget } from './url.ts';
import { pushWire } from './wire.ts';

export interface RtmpPushOptions {
  readonly url: string;
  /** Stream key; empty when it is the last part of the URL. */
  readonly key: string;
  /** Go before those in the URL. */
  readonly username?: string;
  readonly password?: string;
  readonly bus: FlvBus;
  /** RTMPS: false accepts any certificate. */
  readonly verifyCertificate: boolean;
  /** PEM of a private authority. */
  readonly ca?: string;
  readonly stageTimeoutMs?: number;
  readonly stallMs?: number;
  /** Called on entering each stage; `stream` means the server takes media. */
  onStage(stage: PushStage): void;
  /** Called once, with the failure, or with undefined after stop(). */
  onEnd(failure: PushFailure | undefined): void;
}

export interface RtmpPushStats {
  readonly stage: PushStage;
  readonly bytesOut: number;
  readonly bytesIn: number;
  /** How long the server has taken nothing although bytes wait. */
  readonly stalledMs: number;
  readonly feed?: FeedStats;
}

const defaultStageTimeoutMs = 5000;
const defaultStallMs = 10_000;
const tickMs = 1000;
const stopTimeoutMs = 500;
const maxAddresses = 4;
/** Plain, method, answer, or plain and user info. */
const maxConnectTries = 3;

export class RtmpPush {
  private readonly options: RtmpPushOptions;
  private readonly aborter = new AbortController();
  private stage: PushStage = 'dns';
  private link: ClientLink | undefined;
  private feed: BusFeed | undefined;
  private streamId = 0;
  private key = '';
  private isStopping = false;

  constructor(options: RtmpPushOptions) {
    this.options = options;
  }

  start(): void {
    this.run().then(
      (failure) => this.options.onEnd(failure && this.describe(failure)),
      (error) => this.options.onEnd(this.isStopping ? undefined : this.describe(error)),
    );
  }

  stats(): RtmpPushStats {
    const connection = this.link?.connection;
    return {
      stage: this.stage,
      bytesOut: connection?.bytesOut ?? 0,
      bytesIn: connection?.bytesIn ?? 0,
      stalledMs: Math.round(connection?.outlet.stalledMs ?? 0),
      ...(this.feed ? { feed: this.feed.stats } : {}),
    };
  }

  /** Ends the push in order: the server is told, and what is half written is completed if it goes out quickly. */
  async stop(): Promise<void> {
    if (this.isStopping) return;
    this.isStopping = true;
    const { link } = this;
    if (!link || !this.feed) {
      this.aborter.abort(new LinkError('stopped'));
      link?.close('stopped');
      return;
    }
    this.feed.close();
    link.tell(this.streamId, 'FCUnpublish', null, this.key);
    link.tell(0, 'deleteStream', null, this.streamId);
    await link.flushed(stopTimeoutMs);
    link.close('stopped');
  }

  private async run(): Promise<PushFailure | undefined> {
    const target = this.target();
    const addresses = await this.inStage('dns', () => resolve(target.host));
    const link = await this.connect(target, addresses);
    await this.inStage('publish', () => this.publish(link, target.key));
    this.enter('stream');
    return await this.stream(link);
  }

  private target(): RtmpTarget {
    const { url, key, username, password } = this.options;
    const parsed = parseRtmpUrl(url, key);
    if (!parsed) throw new PushFailure('dns', 'not an RTMP address with a stream key', { permanent: true });
    this.key = parsed.key;
    return {
      ...parsed,
      username: username || parsed.username,
      password: username ? (password ?? '') : parsed.password,
    };
  }

  /** Connects as often as the server's way of asking for credentials takes. */
  private async connect(target: RtmpTarget, addresses: readonly string[]): Promise<ClientLink> {
    let attempt: ConnectAttempt = plainAttempt;
    for (let tries = 1; ; tries++) {
      const link = await this.open(target, addresses);
      const stage = attempt === plainAttempt ? 'connect' : 'auth';
      const answer = await this.inStage(stage, () => callConnect(link, target, attempt));
      if (answer.name === '_result') return link;
      link.close('refused');
      const info = readInfo(answer.args[0] ?? answer.object);
      const next = nextTry(target, info, attempt);
      if (next instanceof PushFailure) throw next;
      if (tries === maxConnectTries) throw new PushFailure('auth', 'refused', { permanent: true });
      attempt = next;
    }
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
        last = error;
      }
    }
    throw last instanceof DOMException ? new LinkError('no answer') : last;
  }

  private async publish(link: ClientLink, key: string): Promise<void> {
    const started = Promise.withResolvers<void>();
    link.onCommand = (command) => {
      const outcome = readPublishStatus(command);
      if (outcome === 'started') started.resolve();
      else if (outcome) started.reject(outcome);
    };
    const lost = link.closed.then((error) => Promise.reject(error));
    link.tell(0, 'releaseStream', null, key);
    link.tell(0, 'FCPublish', null, key);
    const created = await Promise.race([link.call('createStream', null), started.promise, lost]);
    const [streamId] = created?.args ?? [];
    if (created?.name !== '_result' || typeof streamId !== 'number') {
      throw new PushFailure('publish', 'the server made no stream', { permanent: false });
    }
    this.streamId = streamId >>> 0;
    link.tell(this.streamId, 'publish', null, key, 'live');
    await Promise.race([started.promise, lost]);
  }

  /** Media flows until the link is lost, the server ends it, nothing moves any more, or stop(). */
  private async stream(link: ClientLink): Promise<PushFailure | undefined> {
    const { outlet } = link.connection;
    const stallMs = this.options.stallMs ?? defaultStallMs;
    const end = Promise.withResolvers<PushFailure | undefined>();
    const onLost = (error: LinkError) => end.resolve(this.isStopping ? undefined : toPushFailure('stream', error));
    link.closed.then(onLost).catch(end.reject);
    link.onCommand = (command) => {
      const outcome = readPublishStatus(command);
      if (outcome instanceof PushFailure) end.resolve(outcome);
    };
    const timer = setInterval(() => {
      // Costs one system call, only while full; saves the push should a drain event ever get lost.
      if (outlet.stalledMs > 0) outlet.drain();
      if (outlet.stalledMs < stallMs) return;
      end.resolve(new PushFailure('stream', `the server took no data for ${stallMs / 1000} s`, { permanent: false }));
    }, tickMs);
    this.feed = new BusFeed(this.options.bus, outlet, (unit) => pushWire(unit, this.streamId));
    outlet.pump();
    const failure = await end.promise;
    clearInterval(timer);
    this.feed.close();
    link.close(failure?.message ?? 'stopped');
    return failure;
  }

  private async inStage<T>(stage: PushStage, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
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
      throw late.aborted
        ? new PushFailure(stage, 'no answer in time', { permanent: false })
        : toPushFailure(stage, error);
    }
  }

  private get stageTimeoutMs(): number {
    return this.options.stageTimeoutMs ?? defaultStageTimeoutMs;
  }

  private enter(stage: PushStage): void {
    this.stage = stage;
    this.options.onStage(stage);
  }

  private describe(error: unknown): PushFailure {
    const failure = toPushFailure(this.stage, error);
    // A server may repeat the key in its answer.
    const text = this.key ? failure.message.replaceAll(this.key, '***') : failure.message;
    return new PushFailure(failure.stage, text, failure);
  }
}

async function resolve(host: string): Promise<string[]> {
  if (isAddress(host)) return [host];
  const found = await lookup(host, { all: true });
  return found.slice(0, maxAddresses).map(({ address }) => address);
}
