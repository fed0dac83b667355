/**
 * Pushes an FLV bus to another RTMP server. One attempt: it ends with a typed failure or by stop(), and its owner
 * decides about the next one.
 */
import { timing } from '../../timing.ts';
import type { FlvBus } from '../flv/flv-bus.ts';
import { BusFeed, type FeedStats } from './bus-feed.ts';
import { ClientCall, type ClientCallOptions } from './client-call.ts';
import { readPublishStatus } from './client-dialogue.ts';
import { RtmpFailure, type RtmpStage, toRtmpFailure } from './client-failure.ts';
import type { ClientLink, LinkError } from './client-link.ts';
import { pushWire } from './wire.ts';

export interface RtmpPushOptions extends ClientCallOptions {
  readonly bus: FlvBus;
  readonly stallMs?: number;
  /** Called once, with the failure, or with undefined after stop(). */
  onEnd(failure: RtmpFailure | undefined): void;
}

export interface RtmpPushStats {
  readonly stage: RtmpStage;
  readonly bytesOut: number;
  readonly bytesIn: number;
  /** How long the server has accepted nothing although bytes are waiting. */
  readonly stalledMs: number;
  readonly feed?: FeedStats;
}

const tickMs = 1000;

export class RtmpPush {
  private readonly options: RtmpPushOptions;
  private readonly call: ClientCall;
  private feed: BusFeed | undefined;
  private streamId = 0;
  private isStopping = false;

  constructor(options: RtmpPushOptions) {
    this.options = options;
    this.call = new ClientCall(options);
  }

  start(): void {
    this.run().then(
      (failure) => this.options.onEnd(failure && this.call.describe(failure)),
      (error) => this.options.onEnd(this.isStopping ? undefined : this.call.describe(error)),
    );
  }

  stats(): RtmpPushStats {
    const connection = this.call.link?.connection;
    return {
      stage: this.call.stage,
      bytesOut: connection?.bytesOut ?? 0,
      bytesIn: connection?.bytesIn ?? 0,
      stalledMs: Math.round(connection?.writer.stalledMs ?? 0),
      ...(this.feed ? { feed: this.feed.stats } : {}),
    };
  }

  /** Ends the push in order: notifies the server and completes a partly written message if that is quick. */
  async stop(): Promise<void> {
    if (this.isStopping) return;
    this.isStopping = true;
    const { link, key } = this.call;
    if (!link || !this.feed) {
      this.call.abort();
      return;
    }
    this.feed.close();
    link.tell(this.streamId, 'FCUnpublish', null, key);
    link.tell(0, 'deleteStream', null, this.streamId);
    await link.flushed(timing.rtmpClient.flushMs);
    link.close('stopped');
  }

  private async run(): Promise<RtmpFailure | undefined> {
    const link = await this.call.connect();
    await this.call.inStage('publish', () => this.publish(link, this.call.key));
    this.call.enter('stream');
    return await this.stream(link);
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
    const streamId = await this.call.createStream(link, Promise.race([started.promise, lost]));
    if (streamId === undefined) throw new RtmpFailure('publish', 'the server made no stream', { permanent: false });
    this.streamId = streamId;
    link.tell(this.streamId, 'publish', null, key, 'live');
    await Promise.race([started.promise, lost]);
  }

  /** Sends media until the link is lost, the server ends it, no data moves any more, or stop() is called. */
  private async stream(link: ClientLink): Promise<RtmpFailure | undefined> {
    const { writer } = link.connection;
    const stallMs = this.options.stallMs ?? timing.rtmpClient.stallMs;
    const end = Promise.withResolvers<RtmpFailure | undefined>();
    const onLost = (error: LinkError) => end.resolve(this.isStopping ? undefined : toRtmpFailure('stream', error));
    link.closed.then(onLost).catch(end.reject);
    link.onCommand = (command) => {
      const outcome = readPublishStatus(command);
      if (outcome instanceof RtmpFailure) end.resolve(outcome);
    };
    const timer = setInterval(() => {
      // Costs one system call, only while full; saves the push should a drain event ever get lost.
      if (writer.stalledMs > 0) writer.drain();
      if (writer.stalledMs < stallMs) return;
      end.resolve(
        new RtmpFailure('stream', `the server took no data for ${stallMs / 1000} s`, {
          permanent: false,
          detail: 'stalled',
        }),
      );
    }, tickMs);
    this.feed = new BusFeed(this.options.bus, writer, (unit) => pushWire(unit, this.streamId));
    writer.pump();
    const failure = await end.promise;
    clearInterval(timer);
    this.feed.close();
    link.close(failure?.message ?? 'stopped');
    return failure;
  }
}
