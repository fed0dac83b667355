/** FLV messages in, transport packets out: H.264 or HEVC and AAC, either or both. */
import { type FlvHeaders, type FlvMessage, messageType } from '../flv/flv-bus.ts';
import { type AudioTag, parseAudioTag, parseVideoTag, type VideoTag } from '../flv/tag.ts';
import { type AacFormat, adtsHeader, readAacConfig } from './aac.ts';
import { type DecoderConfig, parseConfig } from './decoder-config.ts';
import { type NalCodec, nalRole, splitLengthPrefixed } from './nal-units.ts';
import type { TsMuxer } from './ts-muxer.ts';
import type { ProgrammeStreams } from './ts-tables.ts';
import { createUnwrapper, flvClockModulus } from './unwrap.ts';

export interface FlvToTsEvents {
  /** Packets made so far belong to the unit before; an entry point follows. */
  cut(): void;
  /** A stream came, or changed its codec. */
  streamsChanged(): void;
}

const ticksPerMs = 90;
/** Leaves room for the clock's lead and for pictures shown before their decoding time at the very start. */
const firstTicks = 90_000;
const pictureWaitMs = 2000;
/** Less than `firstTicks`, so that no time is negative. */
const mostEarlyTicks = 45_000;
/** Frames of sound in a PES packet; with pictures between them fewer. */
const mostSounds = 3;
const startCode = Uint8Array.of(0, 0, 0, 1);
/** A transport stream's access units begin with these (2.14.1 and 2.17.1). "Any slice type". */
const delimiters = {
  h264: Uint8Array.of(0, 0, 0, 1, 0x09, 0xf0),
  hevc: Uint8Array.of(0, 0, 0, 1, 0x46, 0x01, 0x50),
} as const;

export class FlvToTs {
  private readonly muxer: TsMuxer;
  private readonly events: FlvToTsEvents;
  private readonly unwrap = createUnwrapper(flvClockModulus);
  private streams: ProgrammeStreams = {};
  private config: DecoderConfig | undefined;
  private format: AacFormat | undefined;
  private needsKeyframe = true;
  private heldFrom: number | undefined;
  /** How far decoding runs ahead of the message times: as far as a picture was shown before its own. Ticks. */
  private early = 0;
  /** Sound that waits for more, or for the next picture. */
  private sounds: { readonly dts: number; readonly parts: Uint8Array[] } | undefined;
  private readonly lastDts = { video: Number.NEGATIVE_INFINITY, audio: Number.NEGATIVE_INFINITY };

  constructor(muxer: TsMuxer, events: FlvToTsEvents) {
    this.muxer = muxer;
    this.events = events;
    muxer.setStreams({});
    muxer.restartClock();
  }

  /** The first unit, or one that didn't come right after the last: `headers` are those it needs. */
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
    if (codec !== 'h264' && codec !== 'hevc') return;
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
      // Its lengths are wrong: nobody knows what of it is picture.
      this.needsKeyframe ||= tag.isKeyframe;
      return;
    }
    const roles = units.map((unit) => nalRole(codec, unit[0] ?? 0));
    if (!roles.some((role) => role === 'slice' || role === 'keySlice')) return;
    const { isKeyframe } = tag;
    this.needsKeyframe = false;
    const parts: Uint8Array[] = [delimiters[codec]];
    if (isKeyframe && !roles.includes('sps')) for (const set of config.sets) parts.push(startCode, set);
    units.forEach((unit, i) => {
      if (roles[i] !== 'delimiter') parts.push(startCode, unit);
    });
    this.flushSound();
    const at = this.timeOf(timestamp);
    const shift = tag.compositionMs * ticksPerMs;
    // Some encoders give negative shifts, where the first time is that of showing.
    this.early = Math.min(mostEarlyTicks, Math.max(this.early, -shift));
    const dts = this.decodeTime('video', at - this.early);
    const pts = Math.max(dts, at + shift);
    this.muxer.prepare({ kind: 'video', dts, isRandomAccess: isKeyframe });
    if (isKeyframe) this.events.cut();
    this.muxer.write({ kind: 'video', pts, dts, isRandomAccess: isKeyframe, parts });
  }

  private audio(tag: AudioTag, timestamp: number, payload: Uint8Array): void {
    if (tag.codec !== 'aac') return;
    const body = payload.subarray(tag.dataOffset);
    if (tag.kind === 'header') {
      const format = readAacConfig(body);
      if (!format) return;
      this.format = format;
      this.setStreams({ ...this.streams, audio: 'aac' });
    } else if (tag.kind === 'frame' && this.format && body.length > 0) {
      this.sound(this.format, timestamp, body);
    }
  }

  private sound(format: AacFormat, timestamp: number, body: Uint8Array): void {
    if (this.streams.video && this.needsKeyframe && this.isHeldBack(timestamp)) return;
    const header = adtsHeader(format, body.length);
    if (!header) return;
    const dts = this.decodeTime('audio', this.timeOf(timestamp));
    this.sounds ??= { dts, parts: [] };
    this.sounds.parts.push(header, body);
    if (!this.streams.video || this.sounds.parts.length >= 2 * mostSounds) this.flushSound();
  }

  /** Nothing more comes. */
  end(): void {
    this.flushSound();
  }

  /** Several frames share a PES packet: alone each would be filled up with as much again. */
  private flushSound(): void {
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

  /** A stream begins with its picture, unless none comes. */
  private isHeldBack(timestamp: number): boolean {
    this.heldFrom ??= timestamp;
    return timestamp - this.heldFrom < pictureWaitMs;
  }

  /** Times of one stream always grow: two pictures in the same millisecond would confuse decoders. */
  private decodeTime(kind: 'video' | 'audio', at: number): number {
    this.lastDts[kind] = Math.max(at, this.lastDts[kind] + 1);
    return this.lastDts[kind];
  }

  private setStreams(streams: ProgrammeStreams): void {
    if (streams.video === this.streams.video && streams.audio === this.streams.audio) return;
    this.flushSound();
    this.streams = streams;
    this.muxer.setStreams(streams);
    this.events.streamsChanged();
  }
}
