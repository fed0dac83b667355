/** Converts transport packets to FLV messages: one stream of H.264 or HEVC, one of AAC or MP3, or both. */

import {
  type AacFormat,
  type AdtsFrame,
  AdtsReader,
  aacConfig,
  programOf,
  sameFormat,
  samplesPerFrame,
} from '../codec/aac.ts';
import { isKeyPicture, pictureStarts } from '../codec/access-units.ts';
import { FrameReader } from '../codec/frame-reader.ts';
import { mpegAudioSyntax, readMpegAudio } from '../codec/mpeg-audio.ts';
import { type NalCodec, type NalRole, nalRole, splitAnnexB } from '../codec/nal-units.ts';
import { ParameterSets } from '../codec/parameter-sets.ts';
import { readSps } from '../codec/sps.ts';
import { createUnwrapper, signedDifference, tsClockModulus } from '../codec/unwrap.ts';
import { type FlvMessage, messageType } from '../flv/flv-bus.ts';
import { packetSize, pidOf } from '../mpegts/packet.ts';
import { audioFrame, audioHeader, metadata, mp3Frame, type StreamFacts, videoFrame, videoHeader } from './flv-tags.ts';
import { PesAssembler, type PesPacket, pesLimits } from './pes-assembler.ts';

export interface TsStreams {
  readonly video?: { readonly pid: number; readonly codec: NalCodec };
  /** AAC in ADTS, or MPEG audio, of which FLV can carry only layer 3. */
  readonly audio?: { readonly pid: number; readonly codec: 'aac' | 'mpeg' };
}

interface TsToFlvEvents {
  message(message: FlvMessage): void;
  /** Reports whether FLV can carry the audio, once its frames have shown that. */
  soundFits(fits: boolean): void;
}

interface Picture {
  readonly units: readonly Uint8Array[];
  readonly roles: readonly NalRole[];
  readonly isRandomAccess: boolean;
  /** 90 kHz ticks. */
  readonly decodeAt: number;
  /** Ticks from decoding to presentation. */
  readonly shownAfter: number;
}

const ticksPerMs = 90;
const ticksPerSecond = 90_000;
/** Not part of a tag: parameter sets are in the sequence header, delimiters and filler belong to the byte stream. */
const leftOut: ReadonlySet<NalRole> = new Set(['vps', 'sps', 'pps', 'delimiter', 'filler']);
/** Assumed interval between access units without timestamps, until the real one is known. */
const guessedFrameTicks = 3600;

export class TsToFlv {
  private readonly events: TsToFlvEvents;
  private readonly unwrap = createUnwrapper(tsClockModulus);
  private streams: TsStreams = {};
  private readonly videoPes = new PesAssembler(
    { packet: (packet) => this.pictures(packet), broken: (isRandomAccess) => this.pictureLost(isRandomAccess) },
    pesLimits.videoBytes,
  );
  private readonly audioPes = new PesAssembler(
    { packet: (packet) => this.sound(packet), broken: () => this.soundReader.reset() },
    pesLimits.audioBytes,
  );
  private soundReader: FrameReader = this.readerOf('aac');
  private sets = new ParameterSets('h264');
  private needsKeyframe = true;
  private lastDts: number | undefined;
  /** Number of pictures in the last packet. */
  private lastCount = 1;
  private frameTicks = guessedFrameTicks;
  private format: AacFormat | undefined;
  private fits: boolean | undefined;
  /** Time of the next audio frame in ticks. */
  private soundAt: number | undefined;
  /** Time of the current PES packet, until the first frame that begins in it has used it. */
  private soundStamp: number | undefined;
  private facts: StreamFacts = {};

  constructor(events: TsToFlvEvents) {
    this.events = events;
  }

  /** Sets the streams that the tables list. Unchanged streams continue undisturbed. */
  setStreams(streams: TsStreams): void {
    const before = this.streams;
    this.streams = streams;
    if (before.video?.pid !== streams.video?.pid || before.video?.codec !== streams.video?.codec) {
      this.videoPes.reset();
      this.sets = new ParameterSets(streams.video?.codec ?? 'h264');
      this.needsKeyframe = true;
    }
    if (before.audio?.pid !== streams.audio?.pid || before.audio?.codec !== streams.audio?.codec) {
      this.resetSound();
      this.soundReader = this.readerOf(streams.audio?.codec ?? 'aac');
      this.format = undefined;
      this.fits = undefined;
    }
    if (this.fits !== undefined) this.events.soundFits(this.fits);
  }

  /** Starts over after a gap: units in progress are lost. */
  interrupted(): void {
    this.videoPes.reset();
    this.needsKeyframe = true;
    this.resetSound();
  }

  /** `data`: whole transport packets. */
  write(data: Uint8Array): void {
    const video = this.streams.video?.pid;
    const audio = this.streams.audio?.pid;
    for (let at = 0; at + packetSize <= data.length; at += packetSize) {
      const pid = pidOf(data, at);
      if (pid === video) this.videoPes.push(data, at);
      else if (pid === audio) this.audioPes.push(data, at);
    }
  }

  private resetSound(): void {
    this.audioPes.reset();
    this.soundReader.reset();
    this.soundAt = undefined;
    this.soundStamp = undefined;
  }

  private pictures({ data, pts, dts, isRandomAccess }: PesPacket): void {
    const codec = this.streams.video?.codec;
    const units = codec && splitAnnexB(data);
    if (!units || units.length === 0) return;
    const roles = units.map((unit) => nalRole(codec, unit[0] ?? 0));
    const starts = pictureStarts(codec, units, roles, units[roles.lastIndexOf('sps')] ?? this.sets.sps);
    const decodeAt = this.decodeTime(dts, starts.length);
    if (decodeAt === undefined) return;
    const shownAfter = pts === undefined || dts === undefined ? 0 : signedDifference(pts, dts, tsClockModulus);
    for (const [i, from] of starts.entries()) {
      const to = starts[i + 1];
      this.picture(codec, {
        units: units.slice(from, to),
        roles: roles.slice(from, to),
        isRandomAccess: isRandomAccess && i === 0,
        // The times of a packet are those of the first picture that begins in it (2.4.3.7).
        decodeAt: decodeAt + i * this.frameTicks,
        shownAfter,
      });
    }
  }

  private picture(codec: NalCodec, { units, roles, decodeAt, shownAfter, isRandomAccess }: Picture): void {
    const kept = units.filter((_, i) => !leftOut.has(roles[i] ?? 'other'));
    if (this.sets.take(units)) this.announceVideo(codec, decodeAt, units);
    const isKeyframe = isKeyPicture(codec, units, roles, isRandomAccess);
    if (isKeyframe) this.needsKeyframe = false;
    if (this.needsKeyframe || !this.sets.config || !roles.some((role) => role === 'slice' || role === 'keySlice')) {
      return;
    }
    const timestamp = toMs(decodeAt);
    const compositionMs = toMs(decodeAt + shownAfter) - timestamp;
    const payload = videoFrame(codec, { isKeyframe, compositionMs, units: kept });
    this.events.message({ type: messageType.video, timestamp: timestamp >>> 0, payload });
  }

  /** Returns the decoding time of the first of `count` pictures in a packet; undefined if unknown. */
  private decodeTime(dts: number | undefined, count: number): number | undefined {
    const last = this.lastDts;
    const lastCount = this.lastCount;
    this.lastCount = count;
    if (dts === undefined) {
      if (last !== undefined) this.lastDts = last + this.frameTicks * lastCount;
      return this.lastDts;
    }
    const at = this.unwrap(dts);
    this.lastDts = at;
    const step = last === undefined ? 0 : (at - last) / lastCount;
    if (step > 0 && step < ticksPerSecond) this.frameTicks = step;
    return at;
  }

  /** Decoders show the pictures after a lost one as well as they can, but after a lost keyframe they can't. */
  private pictureLost(isRandomAccess: boolean): void {
    if (isRandomAccess) this.needsKeyframe = true;
  }

  private announceVideo(codec: NalCodec, at: number, units: readonly Uint8Array[]): void {
    const { config } = this.sets;
    const sps = units.find((unit) => nalRole(codec, unit[0] ?? 0) === 'sps');
    const format = sps && readSps(codec, sps);
    if (!config) return;
    if (format) {
      const { width, height, fps } = format;
      if (fps && this.frameTicks === guessedFrameTicks) this.frameTicks = ticksPerSecond / fps;
      this.tellFacts({ ...this.facts, video: { codec, width, height, ...(fps && { fps }) } });
    }
    const payload = videoHeader(codec, config);
    this.events.message({ type: messageType.video, timestamp: toMs(at) >>> 0, payload });
  }

  private sound({ data, pts }: PesPacket): void {
    this.soundStamp = pts === undefined ? undefined : this.unwrap(pts);
    this.soundReader.feed(data);
  }

  private readerOf(codec: 'aac' | 'mpeg'): FrameReader {
    if (codec === 'aac') return new AdtsReader((frame, beganHere) => this.aacFrame(frame, beganHere));
    return new FrameReader(mpegAudioSyntax, (frame, beganHere) => this.mpegFrame(frame, beganHere));
  }

  /** Returns the time of an audio frame in ticks; undefined before the first timestamp. */
  private soundTime(beganHere: boolean, samples: number, rate: number): number | undefined {
    if (beganHere && this.soundStamp !== undefined) {
      this.soundAt = this.soundStamp;
      this.soundStamp = undefined;
    }
    const at = this.soundAt;
    if (at !== undefined) this.soundAt = at + (samples * ticksPerSecond) / rate;
    return at;
  }

  private aacFrame(frame: AdtsFrame, beganHere: boolean): void {
    const at = this.soundTime(beganHere, samplesPerFrame, frame.rate);
    if (at === undefined) return;
    const { objectType, rateIndex, rate, channels } = frame;
    const isSame = this.format !== undefined && sameFormat(this.format, frame);
    // Encoders may describe the channels in the first frame only.
    const described = channels === 0 ? programOf(frame.data) : undefined;
    const program = described ?? (isSame ? this.format?.program : undefined);
    this.tellFit(channels > 0 || program !== undefined);
    if (channels === 0 && !program) return;
    const format = { objectType, rateIndex, rate, channels, program };
    if (!isSame || (described && !Bun.deepEquals(described, this.format?.program))) this.announceAudio(format, at);
    this.tellSound(at, audioFrame(frame.data));
  }

  private mpegFrame(bytes: Uint8Array, beganHere: boolean): void {
    const frame = readMpegAudio(bytes);
    if (!frame) return;
    const at = this.soundTime(beganHere, frame.samples, frame.rate);
    if (at === undefined) return;
    this.tellFit(frame.layer === 3);
    if (frame.layer !== 3) return;
    const { rate, channels } = frame;
    const known = this.facts.audio;
    if (known?.codec !== 'mp3' || known.rate !== rate || known.channels !== channels) {
      this.tellFacts({ ...this.facts, audio: { codec: 'mp3', rate, channels } });
    }
    this.tellSound(at, mp3Frame(frame, bytes));
  }

  private tellFit(fits: boolean): void {
    if (fits === this.fits) return;
    this.fits = fits;
    this.events.soundFits(fits);
  }

  private tellSound(at: number, payload: Uint8Array): void {
    this.events.message({ type: messageType.audio, timestamp: toMs(at) >>> 0, payload });
  }

  private announceAudio(format: AacFormat, at: number): void {
    this.format = format;
    const { rate, channels, program } = format;
    const count = program?.channels ?? (channels === 7 ? 8 : channels);
    this.tellFacts({ ...this.facts, audio: { codec: 'aac', rate, channels: count } });
    this.tellSound(at, audioHeader(aacConfig(format)));
  }

  private tellFacts(facts: StreamFacts): void {
    this.facts = facts;
    this.events.message({ type: messageType.data, timestamp: 0, payload: metadata(facts) });
  }
}

function toMs(ticks: number): number {
  return Math.round(ticks / ticksPerMs);
}
