/** Converts FLV messages to transport packets: H.264 or HEVC video, AAC or MP3 audio, or both. */

import { type AacFormat, adtsFrame, readAacConfig } from '../codec/aac.ts';
import { annexBParts } from '../codec/access-units.ts';
import { type DecoderConfig, parseConfig } from '../codec/decoder-config.ts';
import { readMpegAudio } from '../codec/mpeg-audio.ts';
import { isNalCodec, type NalCodec, nalRole, splitLengthPrefixed } from '../codec/nal-units.ts';
import { createUnwrapper, flvClockModulus } from '../codec/unwrap.ts';
import { type FlvHeaders, type FlvMessage, messageType } from '../flv/flv-bus.ts';
import { type AudioTag, parseAudioTag, parseVideoTag, type VideoTag } from '../flv/tag.ts';
import type { TsMuxer } from './ts-muxer.ts';
import type { ProgramStreams } from './ts-tables.ts';

interface FlvToTsEvents {
  /** Packets written so far belong to the previous unit; a random access point follows. */
  cut(): void;
  /** A stream was added or changed its codec. */
  streamsChanged(): void;
}

const ticksPerMs = 90;
/** Leaves room for the clock's lead and for pictures shown before their decoding time at the very start. */
const firstTicks = 90_000;
const pictureWaitMs = 2000;
/** Less than `firstTicks`, so that no time is negative. */
const maxEarlyTicks = 45_000;
/** Maximum audio frames in a PES packet; fewer if a picture comes between them. */
const maxSounds = 3;

export class FlvToTs {
  private readonly muxer: TsMuxer;
  private readonly events: FlvToTsEvents;
  private readonly unwrap = createUnwrapper(flvClockModulus);
  private streams: ProgramStreams = {};
  private config: DecoderConfig | undefined;
  private format: AacFormat | undefined;
  private needsKeyframe = true;
  private heldFrom: number | undefined;
  /** How far decoding runs ahead of message times: the largest negative composition time so far, in ticks. */
  private early = 0;
  /** Audio frames that wait for more, or for the next picture. */
  private sounds: { readonly dts: number; count: number; readonly parts: Uint8Array[] } | undefined;
  private readonly lastDts = { video: Number.NEGATIVE_INFINITY, audio: Number.NEGATIVE_INFINITY };

  constructor(muxer: TsMuxer, events: FlvToTsEvents) {
    this.muxer = muxer;
    this.events = events;
    muxer.setStreams({});
    muxer.restartClock();
  }

  /** Prepares for the first unit, or for one after a gap, with the headers that it needs. */
  resume({ video, audio }: FlvHeaders): void {
    this.flushSound();
    this.needsKeyframe = true;
    this.heldFrom = undefined;
    if (video) this.message(video);
    if (audio) this.message(audio);
  }

  message({ type, timestamp, payload }: FlvMessage): void {
    if (type === messageType.video) {
      const tag = parseVideoTag(payload);
      if (tag && (tag.track ?? 0) === 0) this.video(tag, timestamp, payload);
    } else if (type === messageType.audio) {
      const tag = parseAudioTag(payload);
      if (tag && (tag.track ?? 0) === 0) this.audio(tag, timestamp, payload);
    }
  }

  private video(tag: VideoTag, timestamp: number, payload: Uint8Array): void {
    const { codec } = tag;
    if (!isNalCodec(codec)) return;
    const body = payload.subarray(tag.dataOffset);
    if (tag.kind === 'header') {
      const config = parseConfig(codec, body);
      if (!config) return;
      this.config = config;
      this.setStreams({ ...this.streams, video: codec });
    } else if (tag.kind === 'frame' && this.config && codec === this.streams.video) {
      this.picture(codec, this.config, tag, timestamp, body);
    }
  }

  private picture(codec: NalCodec, config: DecoderConfig, tag: VideoTag, timestamp: number, body: Uint8Array): void {
    if (this.needsKeyframe && !tag.isKeyframe) return;
    const units = splitLengthPrefixed(body, config.lengthSize);
    if (!units) {
      // The NAL unit lengths are wrong: the picture can't be recovered.
      this.needsKeyframe ||= tag.isKeyframe;
      return;
    }
    const roles = units.map((unit) => nalRole(codec, unit[0] ?? 0));
    if (!roles.some((role) => role === 'slice' || role === 'keySlice')) return;
    const { isKeyframe } = tag;
    this.needsKeyframe = false;
    const parts = annexBParts(codec, units, roles, isKeyframe && !roles.includes('sps') ? config.sets : []);
    this.flushSound();
    const at = this.timeOf(timestamp);
    const shift = tag.compositionMs * ticksPerMs;
    // Some encoders send negative composition times: decoding then has to run ahead of the message times.
    this.early = Math.min(maxEarlyTicks, Math.max(this.early, -shift));
    const dts = this.decodeTime('video', at - this.early);
    const pts = Math.max(dts, at + shift);
    this.muxer.prepare({ kind: 'video', dts, isRandomAccess: isKeyframe });
    if (isKeyframe) this.events.cut();
    this.muxer.write({ kind: 'video', pts, dts, isRandomAccess: isKeyframe, parts });
  }

  private audio(tag: AudioTag, timestamp: number, payload: Uint8Array): void {
    const body = payload.subarray(tag.dataOffset);
    if (tag.codec === 'mp3') {
      const frame = readMpegAudio(body);
      if (!frame) return;
      this.setStreams({ ...this.streams, audio: frame.isMpeg1 ? 'mpeg1audio' : 'mpeg2audio' });
      this.sound(timestamp, [body]);
    } else if (tag.codec === 'aac' && tag.kind === 'header') {
      const format = readAacConfig(body);
      if (!format) return;
      this.format = format;
      this.setStreams({ ...this.streams, audio: 'aac' });
    } else if (tag.codec === 'aac' && tag.kind === 'frame' && this.format && body.length > 0) {
      const parts = adtsFrame(this.format, body);
      if (parts) this.sound(timestamp, parts);
    }
  }

  private sound(timestamp: number, parts: readonly Uint8Array[]): void {
    if (this.streams.video && this.needsKeyframe && this.isHeldBack(timestamp)) return;
    const dts = this.decodeTime('audio', this.timeOf(timestamp));
    this.sounds ??= { dts, count: 0, parts: [] };
    this.sounds.count++;
    this.sounds.parts.push(...parts);
    if (!this.streams.video || this.sounds.count >= maxSounds) this.flushSound();
  }

  /**
   * Writes the remaining audio; call it after the last message. Several frames share a PES packet: alone, each would
   * need as much stuffing again.
   */
  flushSound(): void {
    if (!this.sounds) return;
    const { dts, parts } = this.sounds;
    this.sounds = undefined;
    this.muxer.prepare({ kind: 'audio', dts, isRandomAccess: false });
    if (!this.streams.video) this.events.cut();
    this.muxer.write({ kind: 'audio', pts: dts, dts, isRandomAccess: !this.streams.video, parts });
  }

  private timeOf(timestamp: number): number {
    return firstTicks + this.unwrap(timestamp) * ticksPerMs;
  }

  /** A stream begins with its first picture: audio before it is dropped for at most `pictureWaitMs`. */
  private isHeldBack(timestamp: number): boolean {
    this.heldFrom ??= timestamp;
    return timestamp - this.heldFrom < pictureWaitMs;
  }

  /** Decoding times of a stream always increase: two pictures in the same millisecond would confuse decoders. */
  private decodeTime(kind: 'video' | 'audio', at: number): number {
    this.lastDts[kind] = Math.max(at, this.lastDts[kind] + 1);
    return this.lastDts[kind];
  }

  private setStreams(streams: ProgramStreams): void {
    if (streams.video === this.streams.video && streams.audio === this.streams.audio) return;
    this.flushSound();
    this.streams = streams;
    this.muxer.setStreams(streams);
    this.events.streamsChanged();
  }
}
