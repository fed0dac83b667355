/**
 * Plays a stream of another RTMP server into an FLV sink. One attempt: it ends with a typed failure or by stop(), and
 * its owner decides about the next one.
 */
import { timing } from '../../timing.ts';
import { realClock } from '../bus/alarm-clock.ts';
import { leadingAmfString } from '../flv/amf0.ts';
import { messageType } from '../flv/flv-bus.ts';
import type { FlvSink } from '../flv/flv-sink.ts';
import { bufferLengthMessage } from './chunk-writer.ts';
import { ClientCall, type ClientCallOptions, type EndStream } from './client-call.ts';
import { readPlayStatus } from './client-dialogue.ts';
import { RtmpFailure } from './client-failure.ts';
import type { ClientLink } from './client-link.ts';
import { mediaMessageBytes } from './connection.ts';
import { MediaMessages } from './media-messages.ts';
import { ReadBatching } from './read-batching.ts';

export interface RtmpPullOptions extends ClientCallOptions {
  /** Receives the stream. It is flushed once per read, and closed when the pull ends. */
  readonly sink: FlvSink;
  readonly idleMs?: number;
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

  constructor(options: RtmpPullOptions) {
    this.options = options;
    this.call = new ClientCall(options);
    const batching = new ReadBatching((bytes) => this.call.link?.setReceiveMark(bytes), realClock);
    this.messages = new MediaMessages({ sink: options.sink, batching });
  }

  start(): void {
    const idleMs = this.options.idleMs ?? timing.rtmpClient.idleMs;
    const watch = (_link: ClientLink, end: EndStream) => {
      const timer = setInterval(() => {
        if (performance.now() - this.receivedAt < idleMs) return;
        const text = `nothing came for ${idleMs / 1000} s`;
        end(new RtmpFailure('stream', text, { permanent: false, detail: 'stalled' }));
      }, idleMs / idleChecks);
      return () => clearInterval(timer);
    };
    const open = (link: ClientLink, end: EndStream) => this.play(link, end);
    void this.call.run({ stage: 'play', open, watch }, (reason) => this.messages.close(reason));
  }

  stop(): void {
    if (this.call.isStopping) return;
    this.call.isStopping = true;
    if (this.streamId > 0) this.call.link?.tell(0, 'deleteStream', null, this.streamId);
    this.call.abort();
  }

  /** Resolves when the server has accepted; media may have arrived before that. */
  private async play(link: ClientLink, end: EndStream): Promise<void> {
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
    link.onBatch = () => this.messages.flush(link.connection.missingBytes);
    void link.closed.then(started.reject);
    const streamId = await this.call.createStream(link, started.promise);
    this.streamId = streamId;
    this.receivedAt = performance.now();
    link.connection.maxMessageBytes = mediaMessageBytes;
    // Some CDNs fetch a live stream only after this command.
    link.tell(0, 'FCSubscribe', null, key);
    link.tell(streamId, 'play', null, key, liveOrRecorded);
    link.send(bufferLengthMessage(streamId, bufferMs));
    await started.promise;
  }

  private media(type: number, timestamp: number, payload: Uint8Array): void {
    if (this.call.isStopping) return;
    if (type === messageType.data && playerTalk.has(leadingAmfString(payload)?.text ?? '')) return;
    this.receivedAt = performance.now();
    this.messages.message(type, timestamp, payload);
  }
}
