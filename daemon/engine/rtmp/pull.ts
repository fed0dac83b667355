/**
 * Plays a stream of another RTMP server into an FLV sink. One attempt: it ends with a typed failure or by stop(), and
 * its owner decides about the next one.
 */
import { timing } from '../../timing.ts';
import { leadingAmfString } from '../flv/amf0.ts';
import { messageType } from '../flv/flv-bus.ts';
import type { FlvSink } from '../flv/flv-sink.ts';
import { bufferLengthMessage } from './chunk-writer.ts';
import { ClientCall, type ClientCallOptions } from './client-call.ts';
import { readPlayStatus } from './client-dialogue.ts';
import { RtmpFailure, type RtmpStage, toRtmpFailure } from './client-failure.ts';
import type { ClientLink, LinkError } from './client-link.ts';
import { mediaMessageBytes } from './connection.ts';
import { MediaMessages } from './media-messages.ts';

export interface RtmpPullOptions extends ClientCallOptions {
  /** Receives the stream. It is flushed once per read, and closed when the pull ends. */
  readonly sink: FlvSink;
  readonly idleMs?: number;
  /** Called once, with the failure, or with undefined after stop(). */
  onEnd(failure: RtmpFailure | undefined): void;
}

export interface RtmpPullStats {
  readonly stage: RtmpStage;
  readonly bytesIn: number;
}

const idleChecks = 20;
/** As FFmpeg and librtmp request it: the live stream, else a recording of that name. */
const liveOrRecorded = -2000;
const bufferMs = 1000;
/** Messages from the server to its player that are not part of the stream. */
const playerTalk = new Set(['|RtmpSampleAccess', 'onStatus']);

export class RtmpPull {
  private readonly options: RtmpPullOptions;
  private readonly call: ClientCall;
  private readonly messages: MediaMessages;
  private streamId = 0;
  private receivedAt = 0;
  private isStopping = false;

  constructor(options: RtmpPullOptions) {
    this.options = options;
    this.call = new ClientCall(options);
    this.messages = new MediaMessages(options.sink);
  }

  start(): void {
    this.run().then(
      (failure) => this.finish(failure),
      (error) => this.finish(this.isStopping ? undefined : error),
    );
  }

  stats(): RtmpPullStats {
    return { stage: this.call.stage, bytesIn: this.call.link?.connection.bytesIn ?? 0 };
  }

  stop(): void {
    if (this.isStopping) return;
    this.isStopping = true;
    if (this.streamId > 0) this.call.link?.tell(0, 'deleteStream', null, this.streamId);
    this.call.abort();
  }

  private finish(failure: unknown): void {
    const described = failure === undefined ? undefined : this.call.describe(failure);
    this.messages.close(described?.message ?? 'stopped');
    this.options.onEnd(described);
  }

  private async run(): Promise<RtmpFailure | undefined> {
    const link = await this.call.connect();
    const end = Promise.withResolvers<RtmpFailure | undefined>();
    const onLost = (error: LinkError) => end.resolve(this.isStopping ? undefined : toRtmpFailure('stream', error));
    link.closed.then(onLost).catch(end.reject);
    await this.call.inStage('play', () => this.play(link, end.resolve));
    this.call.enter('stream');
    const timer = setInterval(() => this.watch(end.resolve), this.idleMs / idleChecks);
    const failure = await end.promise;
    clearInterval(timer);
    link.close(failure?.message ?? 'stopped');
    return failure;
  }

  /** Resolves when the server has accepted; media may have arrived before that. */
  private async play(link: ClientLink, end: (failure: RtmpFailure) => void): Promise<void> {
    const { key } = this.call;
    const started = Promise.withResolvers<void>();
    link.onCommand = (command) => {
      const outcome = readPlayStatus(command);
      if (outcome === 'started') {
        started.resolve();
      } else if (outcome) {
        const over = new RtmpFailure('stream', 'the stream ended at its server', { permanent: false });
        const failure = outcome === 'ended' ? over : outcome;
        started.reject(failure);
        end(failure);
      }
    };
    link.onMedia = (type, timestamp, payload) => {
      // Some servers send the stream without announcing its start.
      started.resolve();
      this.media(type, timestamp, payload);
    };
    link.onBatch = () => this.messages.flush();
    const lost = link.closed.then((error) => Promise.reject(error));
    const streamId = await this.call.createStream(link, Promise.race([started.promise, lost]));
    if (streamId === undefined) throw new RtmpFailure('play', 'the server made no stream', { permanent: false });
    this.streamId = streamId;
    this.receivedAt = performance.now();
    link.connection.maxMessageBytes = mediaMessageBytes;
    // Some CDNs fetch a live stream only after this command.
    link.tell(0, 'FCSubscribe', null, key);
    link.tell(streamId, 'play', null, key, liveOrRecorded);
    link.send(bufferLengthMessage(streamId, bufferMs));
    await Promise.race([started.promise, lost]);
  }

  private media(type: number, timestamp: number, payload: Uint8Array): void {
    if (this.isStopping) return;
    if (type === messageType.data && playerTalk.has(leadingAmfString(payload)?.text ?? '')) return;
    this.receivedAt = performance.now();
    this.messages.message(type, timestamp, payload);
  }

  private watch(end: (failure: RtmpFailure) => void): void {
    if (performance.now() - this.receivedAt < this.idleMs) return;
    const text = `nothing came for ${this.idleMs / 1000} s`;
    end(new RtmpFailure('stream', text, { permanent: false, detail: 'stalled' }));
  }

  private get idleMs(): number {
    return this.options.idleMs ?? timing.rtmpClient.idleMs;
  }
}
