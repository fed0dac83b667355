/** Turns the messages of one publisher session into units of a channel's FLV bus. */
import type { MediaStatus } from '../../media/protocol/reported.ts';
import { readSps } from '../codec/sps.ts';
import { leadingAmfString } from './amf0.ts';
import { type FlvBus, type FlvHeaders, type FlvMessage, type MediaMessageType, messageType } from './flv-bus.ts';
import { frameFormat } from './frame-format.ts';
import { audioInfo, inBandSps, parseMetadata, videoInfo, videoOf } from './media-info.ts';
import { type AudioTag, parseAudioTag, parseVideoTag, type VideoTag } from './tag.ts';
import type { TrackMapping } from './timeline.ts';

/** Receives the messages of an input. The sink takes ownership of the payloads; the caller must not reuse them. */
export interface FlvSink {
  message(message: FlvMessage): void;
  /** Ends a batch; called once per socket read, so that players are woken once. */
  flush(): void;
  close(reason: string): void;
}

/** If there has been no video for this long, players may start at any audio. */
const audioOnlyAfterMs = 2000;
const maxTracks = 16;
const maxRepeatedBytes = 4096;
/** Cost of a message in addition to its payload; keeps the ring bounded if a publisher sends tiny messages. */
const messageOverheadBytes = 64;

/** How the frames of one type reach the bus. */
export interface SteadyTrack extends TrackMapping {
  readonly format: number;
}

/** By type; absent if the publisher has sent no frame of it. */
export interface SteadyTracks {
  readonly video?: SteadyTrack;
  readonly audio?: SteadyTrack;
  /** What the publisher may repeat, since players have it: the type, and the bytes in hexadecimal digits. */
  readonly headers: readonly { readonly type: MediaMessageType; readonly body: string }[];
}

/** Numbers of messages' bytes and of frames. */
export interface FlvTotals {
  readonly bytes: number;
  readonly video: number;
  readonly audio: number;
}

export function createFlvSink(bus: FlvBus): FlvBusSink {
  return new FlvBusSink(bus);
}

/** The sink of a publisher session, which also provides media information and counters. */
export class FlvBusSink implements FlvSink {
  /**
   * `droppedFrames`: inter frames before the first keyframe, and audio for a time that has passed. `malformed`: messages
   * that are too short for their type.
   */
  readonly counters = { bytes: 0, videoFrames: 0, keyframes: 0, audioFrames: 0, droppedFrames: 0, malformed: 0 };
  private reported: FlvTotals = { bytes: 0, video: 0, audio: 0 };
  private info: Pick<MediaStatus, 'video' | 'audio'> = {};
  readonly bus: FlvBus;
  /** The last frame of each type. */
  private readonly lastFrames = new Map<MediaMessageType, Uint8Array>();
  private pending: FlvMessage[] = [];
  private pendingBytes = 0;
  private announced: FlvMessage[] = [];
  private unannounced: MediaMessageType[] = [];
  /** Set while the pending unit is a random access point: the headers at that moment. */
  private entryHeaders: FlvHeaders | undefined;
  private hasPushed = false;
  private hasKeyframe = false;
  private isClosed = false;
  /** Channel time of the newest video frame; before any, of the first frame. */
  private videoAt = -1;
  private lastVideo: { readonly tag: VideoTag; readonly body: Uint8Array } | undefined;
  private lastAudio: { readonly tag: AudioTag; readonly body: Uint8Array } | undefined;
  /** Parsed once, because metadata may be long and the codec may change with every frame. */
  private metadata: ReturnType<typeof parseMetadata>;
  /** Parameter set of the newest keyframe that contained one. */
  private inBand: Uint8Array | undefined;

  constructor(bus: FlvBus) {
    this.bus = bus;
    bus.headers = {};
    bus.timeline.beginSession();
  }

  /** Undefined while nothing is known. */
  get media(): MediaStatus | undefined {
    return this.info.video || this.info.audio ? { container: 'flv', ...this.info } : undefined;
  }

  /** Of messages, so far. */
  get bytes(): number {
    return Math.max(this.counters.bytes, this.reported.bytes);
  }

  /** Numbers of video and audio frames so far. */
  get arrivals() {
    const { counters, reported } = this;
    return {
      video: Math.max(counters.videoFrames, reported.video),
      audio: Math.max(counters.audioFrames, reported.audio),
    };
  }

  /** The publisher has sent this much, which may not come here. */
  report(totals: FlvTotals): void {
    this.reported = totals;
  }

  /**
   * Goes on with the message of this number on the bus. Only while `steadyTracks` holds. `totals`: of what precedes it;
   * `times`: of the last frames.
   */
  skip(message: number, totals: FlvTotals, times: { readonly video: number; readonly audio: number }): void {
    const { bus, counters } = this;
    bus.timeline.skip(messageType.audio, times.audio);
    this.videoAt = bus.timeline.skip(messageType.video, times.video) ?? this.videoAt;
    Object.assign(counters, { bytes: totals.bytes, videoFrames: totals.video, audioFrames: totals.audio });
    if (message === bus.messages) return;
    bus.messages = message;
    bus.ring.clear();
  }

  /**
   * While the publisher sends only more frames of these tracks, and these headers again, each becomes one message of the
   * bus, a frame with its timestamp mapped and nothing else changed. Undefined if that is not certain.
   */
  get steadyTracks(): SteadyTracks | undefined {
    if (this.isClosed || this.pending.length > 0 || this.lastFrames.size === 0) return undefined;
    const tracks: { video?: SteadyTrack; audio?: SteadyTrack } = {};
    for (const [type, payload] of this.lastFrames) {
      const format = frameFormat(type, payload);
      const mapping = this.bus.timeline.mapping(type);
      if (format === undefined || !mapping) return undefined;
      tracks[type === messageType.video ? 'video' : 'audio'] = { format, ...mapping };
    }
    return !tracks.video || this.hasKeyframe ? { ...tracks, headers: this.repeatable } : undefined;
  }

  message({ type, timestamp, payload }: FlvMessage): void {
    if (this.isClosed) return;
    this.counters.bytes += payload.length;
    if (type === messageType.video) this.video(timestamp, payload);
    else if (type === messageType.audio) this.audio(timestamp, payload);
    else this.data(timestamp, payload);
  }

  flush(): void {
    this.endUnit();
    if (!this.hasPushed) return;
    this.hasPushed = false;
    this.bus.ring.notify();
  }

  close(_reason: string): void {
    if (this.isClosed) return;
    this.flush();
    this.isClosed = true;
    this.bus.ring.endEntry();
  }

  /** Some encoders send them again with every keyframe. */
  private get repeatable(): SteadyTracks['headers'] {
    const known = [
      [messageType.video, this.lastVideo?.tag.kind === 'header' ? this.lastVideo.body : undefined],
      [messageType.audio, this.lastAudio?.tag.kind === 'header' ? this.lastAudio.body : undefined],
      [messageType.data, this.bus.headers.metadata?.payload],
    ] as const;
    return known.flatMap(([type, body]) =>
      body && body.length <= maxRepeatedBytes ? [{ type, body: body.toHex() }] : [],
    );
  }

  private video(timestamp: number, payload: Uint8Array): void {
    const tag = parseVideoTag(payload);
    if (!tag) {
      this.counters.malformed++;
      return;
    }
    const isUnannounced = tag.kind !== 'header' && tag.codec !== this.lastVideo?.tag.codec;
    if (tag.kind === 'header' || isUnannounced) this.learnVideo(tag, payload);
    if (isUnannounced) this.changed(messageType.video);
    if (tag.kind === 'frame') this.videoFrame(tag, timestamp, payload);
    else this.other('video', tag, timestamp, payload);
  }

  private videoFrame(tag: VideoTag, timestamp: number, payload: Uint8Array): void {
    const at = this.bus.timeline.map(messageType.video, timestamp);
    if (at === undefined) return;
    this.videoAt = at;
    this.lastFrames.set(messageType.video, payload);
    this.counters.videoFrames++;
    // Only the first track determines where players may start.
    if (tag.isKeyframe && (tag.track ?? 0) <= 0) {
      this.endUnit();
      this.hasKeyframe = true;
      this.entryHeaders = this.bus.headers;
      this.counters.keyframes++;
      this.readInBand(tag, payload);
    } else if (!this.hasKeyframe) {
      this.counters.droppedFrames++;
      return;
    }
    this.add({ type: messageType.video, timestamp: at >>> 0, payload });
  }

  private audio(timestamp: number, payload: Uint8Array): void {
    const tag = parseAudioTag(payload);
    if (!tag) {
      this.counters.malformed++;
      return;
    }
    const isUnannounced = tag.kind !== 'header' && tag.codec !== this.lastAudio?.tag.codec;
    if (tag.kind === 'header' || isUnannounced) this.learnAudio(tag, payload);
    if (isUnannounced) this.changed(messageType.audio);
    if (tag.kind === 'frame') this.audioFrame(timestamp, payload);
    else this.other('audio', tag, timestamp, payload);
  }

  private audioFrame(timestamp: number, payload: Uint8Array): void {
    const at = this.bus.timeline.map(messageType.audio, timestamp);
    this.lastFrames.set(messageType.audio, payload);
    this.counters.audioFrames++;
    if (at === undefined) {
      this.counters.droppedFrames++;
      return;
    }
    if (this.videoAt < 0) this.videoAt = at;
    if (this.pending.length === 0 && at - this.videoAt > audioOnlyAfterMs) this.entryHeaders = this.bus.headers;
    this.add({ type: messageType.audio, timestamp: at >>> 0, payload });
  }

  private data(timestamp: number, payload: Uint8Array): void {
    const name = leadingAmfString(payload);
    if (name?.text === '@clearDataFrame') return;
    const body = name?.text === '@setDataFrame' ? payload.subarray(name.end) : payload;
    if (leadingAmfString(body)?.text !== 'onMetaData') {
      this.add(this.near(messageType.data, timestamp, body));
      return;
    }
    // FFmpeg takes metadata with a timestamp other than 0 for a subtitle track.
    const message: FlvMessage = { type: messageType.data, timestamp: 0, payload: body };
    this.announce(message);
    this.bus.headers = { ...this.bus.headers, metadata: message };
    this.metadata = parseMetadata(body);
    if (this.lastVideo) this.learnVideo(this.lastVideo.tag, this.lastVideo.body);
    if (this.lastAudio) this.learnAudio(this.lastAudio.tag, this.lastAudio.body);
  }

  /** Takes anything but a frame. */
  private other(kind: 'video' | 'audio', tag: VideoTag | AudioTag, timestamp: number, payload: Uint8Array): void {
    const message = this.near(messageType[kind], timestamp, payload);
    if (tag.kind === 'header') this.header(kind, tag.track, message);
    else this.add(message);
  }

  private near(type: MediaMessageType, timestamp: number, payload: Uint8Array): FlvMessage {
    return { type, timestamp: this.bus.timeline.near(timestamp) >>> 0, payload };
  }

  /** Headers are also put into the ring: current players must receive a change at its position. */
  private header(kind: 'video' | 'audio', track: number | undefined, message: FlvMessage): void {
    this.announce(message);
    const { headers } = this.bus;
    if (track === undefined) {
      const known = headers[kind];
      if (!known || Buffer.compare(known.payload, message.payload) !== 0) {
        this.bus.headers = { ...headers, [kind]: message };
      }
      return;
    }
    // The header bytes up to the track number contain packet type, codec and track: equal bytes mean the same track.
    const isSame = (other: FlvMessage) =>
      other.type === message.type && trackPrefix(other.payload) === trackPrefix(message.payload);
    const others = (headers.tracks ?? []).filter((other) => !isSame(other));
    if (others.length < maxTracks) this.bus.headers = { ...headers, tracks: [...others, message] };
  }

  private learnVideo(tag: VideoTag, payload: Uint8Array): void {
    const body = headOf(tag, payload);
    this.lastVideo = { tag, body };
    this.inBand = undefined;
    this.info = { ...this.info, video: videoInfo(tag, body, this.metadata) };
  }

  private learnAudio(tag: AudioTag, payload: Uint8Array): void {
    const body = headOf(tag, payload);
    this.lastAudio = { tag, body };
    this.info = { ...this.info, audio: audioInfo(tag, body, this.metadata) };
  }

  /** Encoders may change the picture format without a new sequence header. */
  private readInBand(tag: VideoTag, payload: Uint8Array): void {
    const header = this.lastVideo;
    const { video } = this.info;
    if (!video || header?.tag.kind !== 'header' || header.tag.codec !== tag.codec) return;
    const set = inBandSps(tag, payload, header.body.subarray(header.tag.dataOffset));
    if (!set || (this.inBand && Buffer.compare(this.inBand, set) === 0)) return;
    this.inBand = set.slice();
    const picture = readSps(tag.codec, set);
    if (picture) this.info = { ...this.info, video: videoOf(tag.codec, picture, this.metadata) };
  }

  /** A frame's codec changed without a header. */
  private changed(type: MediaMessageType): void {
    if (!this.unannounced.includes(type)) this.unannounced.push(type);
  }

  private announce(message: FlvMessage): void {
    this.announced.push(message);
    this.add(message);
  }

  private add(message: FlvMessage): void {
    this.pending.push(message);
    this.pendingBytes += message.payload.length + messageOverheadBytes;
  }

  private endUnit(): void {
    if (this.pending.length === 0) return;
    const { pendingBytes: bytes, pending: messages, entryHeaders: headers, announced, unannounced } = this;
    const index = this.bus.messages;
    this.bus.messages += messages.length;
    const facts = {
      index,
      ...(announced.length > 0 && { announced }),
      ...(unannounced.length > 0 && { unannounced }),
    };
    this.bus.ring.push(
      headers
        ? { bytes, entryPoint: true, messages, headers, ...facts }
        : { bytes, entryPoint: false, messages, ...facts },
    );
    this.pending = [];
    this.pendingBytes = 0;
    if (announced.length > 0) this.announced = [];
    if (unannounced.length > 0) this.unannounced = [];
    this.entryHeaders = undefined;
    this.hasPushed = true;
  }
}

/** Returns what describes the codec: the whole of a sequence header, or the beginning of a frame. */
function headOf({ kind, dataOffset }: VideoTag | AudioTag, payload: Uint8Array): Uint8Array {
  return kind === 'header' ? payload : new Uint8Array(payload.subarray(0, dataOffset));
}

/** First byte, multitrack byte, codec and track number of a one-track packet. */
function trackPrefix(payload: Uint8Array): string {
  return Buffer.from(payload.subarray(0, 7)).toString('hex');
}
