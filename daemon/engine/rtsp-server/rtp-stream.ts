/**
 * A channel as RTP packets: created once from its FLV bus while there are players, and read by each player with its own
 * cursor. All players get the same packets, so a slow player correctly sees a gap in the sequence numbers.
 */
import { type Cursor, defaultRingLimits, Ring, type Unit } from '../bus/bus.ts';
import { nalRole, splitLengthPrefixed } from '../codec/nal-units.ts';
import { createUnwrapper, flvClockModulus } from '../codec/unwrap.ts';
import { type FlvBus, type FlvHeaders, type FlvMessage, type FlvUnit, messageType } from '../flv/flv-bus.ts';
import { parseAudioTag, parseVideoTag, type VideoTag } from '../flv/tag.ts';
import { packPicture, packSound } from './payload.ts';
import { maxPayloadBytes, RtpBatch, type RtpPackets, RtpSender } from './rtp.ts';
import {
  type AudioTrack,
  audioTrackOf,
  payloadTypes,
  signatureOf,
  type TrackName,
  type Tracks,
  trackNames,
  trackNumbers,
  type VideoTrack,
  videoClock,
  videoTrackOf,
} from './track.ts';

export interface RtpUnit extends Unit, RtpPackets {
  /** Channel time of its beginning, in milliseconds. */
  readonly at: number;
  /** Sequence number of its first packet, or of the next one, by track. */
  readonly sequences: readonly number[];
}

/** FLV times are milliseconds: within this distance, a frame is placed by its sample count instead. */
const roundingMs = 2;
const msPerSecond = 1000;

export class RtpStream {
  readonly ring: Ring<RtpUnit>;
  /** Current tracks of the stream, for new players. */
  tracks: Tracks = {};
  /** A track changed, so sessions that have set it up cannot continue. */
  onTrackChange: (name: TrackName) => void = () => {};
  private readonly bus: FlvBus;
  private readonly senders: Readonly<Record<TrackName, RtpSender>>;
  private readonly canonicalName: string;
  private readonly wallClock: () => number;
  private readonly batch = new RtpBatch();
  private unwrap = createUnwrapper(flvClockModulus);
  private cursor: Cursor<FlvUnit> | undefined;
  private holders = 0;
  private needsKeyframe = true;
  /** Wall-clock time of channel time 0. Fixed, so that reports never make the players' clocks jump. */
  private zeroMs: number | undefined;
  private newestAt = 0;
  private sampleTime: number | undefined;
  /** Clock of the most recent audio track: sessions outlive it, and so do their reports. */
  private audioClock = videoClock;

  constructor(bus: FlvBus, random: () => number, wallClock: () => number = Date.now) {
    this.bus = bus;
    this.wallClock = wallClock;
    this.ring = new Ring<RtpUnit>(defaultRingLimits);
    this.canonicalName = random().toString(36);
    const sender = (name: TrackName) => new RtpSender(trackNumbers[name], payloadTypes[name], random);
    this.senders = { video: sender('video'), audio: sender('audio') };
  }

  /** Creates packets until all holders have released the stream. */
  hold(): { release(): void } {
    if (this.holders++ === 0) this.begin();
    let isHeld = true;
    return {
      release: () => {
        if (isHeld && --this.holders === 0) this.halt();
        isHeld = false;
      },
    };
  }

  ssrc(name: TrackName): number {
    return this.senders[name].ssrc;
  }

  /** Returns the RTP timestamp of a track at this channel time. */
  timestamp(name: TrackName, at: number): number {
    return this.senders[name].timestamp((at * this.clockOf(name)) / msPerSecond);
  }

  /** Returns a sender report for this channel time, by default that of the newest packet. */
  report(name: TrackName, at: number = this.newestAt): Buffer {
    const wallMs = (this.zeroMs ?? this.wallClock() - at) + at;
    return this.senders[name].report(wallMs, this.timestamp(name, at), this.canonicalName);
  }

  private begin(): void {
    this.unwrap = createUnwrapper(flvClockModulus);
    this.zeroMs = undefined;
    this.sampleTime = undefined;
    this.cursor = this.bus.ring.subscribe(() => this.pump());
    this.pump();
  }

  private halt(): void {
    this.cursor?.close();
    this.cursor = undefined;
    this.ring.clear();
    this.tracks = {};
  }

  private clockOf(name: TrackName): number {
    return name === 'video' ? videoClock : this.audioClock;
  }

  private pump(): void {
    const { cursor } = this;
    if (!cursor) return;
    for (let unit = cursor.take(); unit; unit = cursor.take()) this.unit(unit, cursor.jumped);
    this.ring.notify();
  }

  private unit(unit: FlvUnit, hasJumped: boolean): void {
    if (hasJumped) this.needsKeyframe = true;
    if (hasJumped || unit.entryPoint) this.setHeaders(unit.headers ?? this.bus.headers);
    const [first] = unit.messages;
    if (!first) return;
    const at = this.unwrap(first.timestamp);
    this.zeroMs ??= this.wallClock() - at;
    this.newestAt = at;
    const sequences = trackNames.map((name) => this.senders[name].sequence);
    for (const message of unit.messages) this.message(message);
    const packets = this.batch.take();
    if (!packets) return;
    const hasPicture = unit.messages.some(({ type }) => type === messageType.video);
    const isEntry = unit.entryPoint && !(hasPicture && this.needsKeyframe);
    this.ring.push({ ...packets, bytes: packets.wire.length, entryPoint: isEntry, at, sequences });
  }

  /** At a random access point these are the headers that decoders need; a track that is missing has ended. */
  private setHeaders({ video, audio }: FlvHeaders): void {
    this.setTracks({
      ...(video && { video: videoTrackOf(video) ?? this.tracks.video }),
      ...(audio && { audio: audioTrackOf(audio) ?? this.tracks.audio }),
    });
  }

  private setTracks(next: { video?: VideoTrack | undefined; audio?: AudioTrack | undefined }): void {
    const before = this.tracks;
    this.tracks = { ...(next.video && { video: next.video }), ...(next.audio && { audio: next.audio }) };
    this.audioClock = next.audio?.rate ?? this.audioClock;
    for (const name of trackNames) {
      const signature = signatureOf(this.tracks, name);
      if (signature === undefined || signature === signatureOf(before, name)) continue;
      if (name === 'audio') this.sampleTime = undefined;
      this.onTrackChange(name);
    }
  }

  private message(message: FlvMessage): void {
    if (message.type === messageType.video) this.video(message);
    else if (message.type === messageType.audio) this.audio(message);
  }

  private video(message: FlvMessage): void {
    const tag = parseVideoTag(message.payload);
    if (!tag || (tag.track ?? 0) !== 0) return;
    if (tag.kind === 'header') {
      const video = videoTrackOf(message);
      if (video) this.setTracks({ ...this.tracks, video });
    } else if (tag.kind === 'frame' && tag.codec === this.tracks.video?.codec) {
      this.picture(this.tracks.video, tag, message);
    }
  }

  private picture({ codec, lengthSize, sets }: VideoTrack, tag: VideoTag, { timestamp, payload }: FlvMessage): void {
    if (this.needsKeyframe && !tag.isKeyframe) return;
    const units = splitLengthPrefixed(payload.subarray(tag.dataOffset), lengthSize);
    if (!units) {
      // Its length fields are wrong, so its units cannot be determined.
      this.needsKeyframe ||= tag.isKeyframe;
      return;
    }
    this.needsKeyframe = false;
    const roles = units.map((unit) => nalRole(codec, unit[0] ?? 0));
    const kept = units.filter((_, i) => roles[i] !== 'delimiter' && roles[i] !== 'filler');
    const whole = tag.isKeyframe && !roles.includes('sps') ? [...sets, ...kept] : kept;
    const at = this.unwrap(timestamp);
    const time = this.timestamp('video', at + tag.compositionMs);
    packPicture(codec, whole, maxPayloadBytes, (parts, isMarked) =>
      this.batch.add(this.senders.video, { at, timestamp: time, isMarked }, parts),
    );
  }

  private audio(message: FlvMessage): void {
    const tag = parseAudioTag(message.payload);
    if (tag?.codec !== 'aac' || (tag.track ?? 0) !== 0) return;
    if (tag.kind === 'header') {
      const audio = audioTrackOf(message);
      if (audio) this.setTracks({ ...this.tracks, audio });
    } else if (tag.kind === 'frame' && this.tracks.audio) {
      this.sound(this.tracks.audio, message.timestamp, message.payload.subarray(tag.dataOffset));
    }
  }

  private sound({ rate, samplesPerFrame }: AudioTrack, timestamp: number, frame: Uint8Array): void {
    const at = this.unwrap(timestamp);
    const given = (at * rate) / msPerSecond;
    const { sampleTime } = this;
    const isClose = sampleTime !== undefined && Math.abs(given - sampleTime) <= (roundingMs * rate) / msPerSecond;
    const ticks = isClose ? sampleTime : given;
    this.sampleTime = ticks + samplesPerFrame;
    const time = this.senders.audio.timestamp(ticks);
    packSound(frame, maxPayloadBytes, (parts, isMarked) =>
      this.batch.add(this.senders.audio, { at, timestamp: time, isMarked }, parts),
    );
  }
}
