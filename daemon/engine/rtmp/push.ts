/**
 * Pushes an FLV bus to another RTMP server. One attempt: it ends with a typed failure or by stop(), and its owner
 * decides about the next one.
 */
import { timing } from '../../timing.ts';
import type { FlvBus } from '../flv/flv-bus.ts';
import { BusFeed } from './bus-feed.ts';
import { ClientCall, type ClientCallOptions, type EndStream } from './client-call.ts';
import { readPublishStatus } from './client-dialogue.ts';
import { RtmpFailure } from './client-failure.ts';
import type { ClientLink } from './client-link.ts';
import { pushWire } from './wire.ts';

export interface RtmpPushOptions extends ClientCallOptions {
  readonly bus: FlvBus;
  readonly stallMs?: number;
}

const tickMs = 1000;

export class RtmpPush {
  private readonly options: RtmpPushOptions;
  private readonly call: ClientCall;
  private feed: BusFeed | undefined;
  private streamId = 0;

  constructor(options: RtmpPushOptions) {
    this.options = options;
    this.call = new ClientCall(options);
  }

  start(): void {
    void this.call.run({
      stage: 'publish',
      open: (link) => this.publish(link, this.call.key),
      watch: (link, end) => this.feedFrom(link, end),
    });
  }

  stats() {
    const connection = this.call.link?.connection;
    return {
      stage: this.call.stage,
      bytesOut: connection?.bytesOut ?? 0,
      bytesIn: connection?.bytesIn ?? 0,
      /** How long the server has accepted nothing although bytes are waiting. */
      stalledMs: Math.round(connection?.writer.stalledMs ?? 0),
      ...(this.feed && { feed: this.feed.stats }),
    };
  }

  /** Ends the push in order: notifies the server and completes a partly written message if that is quick. */
  async stop(): Promise<void> {
    if (this.call.isStopping) return;
    this.call.isStopping = true;
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

  private async publish(link: ClientLink, key: string): Promise<void> {
    const started = Promise.withResolvers<void>();
    link.onCommand = (command) => {
      const outcome = readPublishStatus(command);
      if (outcome === 'started') started.resolve();
      else if (outcome) started.reject(outcome);
    };
    void link.closed.then(started.reject);
    link.tell(0, 'releaseStream', null, key);
    link.tell(0, 'FCPublish', null, key);
    this.streamId = await this.call.createStream(link, started.promise);
    link.tell(this.streamId, 'publish', null, key, 'live');
    await started.promise;
  }

  /** Sends media until the link is lost, the server ends it, no data moves any more, or stop() is called. */
  private feedFrom(link: ClientLink, end: EndStream): () => void {
    const { writer } = link.connection;
    const stallMs = this.options.stallMs ?? timing.rtmpClient.stallMs;
    link.onCommand = (command) => {
      const outcome = readPublishStatus(command);
      if (outcome instanceof RtmpFailure) end(outcome);
    };
    const timer = setInterval(() => {
      // Costs one system call, only while full; saves the push should a drain event ever get lost.
      if (writer.stalledMs > 0) writer.drain();
      if (writer.stalledMs < stallMs) return;
      const text = `the server took no data for ${stallMs / 1000} s`;
      end(new RtmpFailure('stream', text, { permanent: false, detail: 'stalled' }));
    }, tickMs);
    const feed = new BusFeed(this.options.bus, writer, (unit) => pushWire(unit, this.streamId));
    this.feed = feed;
    writer.pump();
    return () => {
      clearInterval(timer);
      feed.close();
    };
  }
}
