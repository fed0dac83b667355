/** Transport packets in, FLV messages out: one stream of H.264 or HEVC, one of AAC, either or both. */
import { type FlvMessage, messageType } from '../flv/flv-bus.ts';
import { mpegLayer } from '../mpegts/access-unit.ts';
import { packetSize, pidOf } from '../mpegts/packet.ts';
import type { SpsReader } from '../mpegts/stream-facts.ts';
import { type AacFormat, type AdtsFrame, AdtsReader, aacConfig, sameFormat, samplesPerFrame } from './aac.ts';
import { pictureStarts } from './access-units.ts';
import { audioFrame, audioHeader, metadata, type StreamFacts, videoFrame, videoHeader } from './flv-tags.ts';
import { isRecoveryPoint, type NalCodec, type NalRole, nalRole, splitAnnexB } from './nal-units.ts';
import { ParameterSets } from './parameter-sets.ts';
import { PesAssembler, type PesPacket, pesLimits } from './pes-assembler.ts';
import { createUnwrapper, signedDifference, tsClockModulus } from './unwrap.ts';

export interface TsStreams {
  readonly video?: { readonly pid: number; readonly codec: NalCodec };
  /** AAC in ADTS. */
  readonly audio?: { readonly pid: number };
  /** MPEG audio, of whatever layer. It is only looked at. */
  readonly mpegAudio?: { readonly pid: number };
}

export interface TsToFlvEvents {
  message(message: FlvMessage): void;
  /** AAC whose channels only a programme config element in the stream describes: no plain header can say that. */
  undescribedAudio(): void;
  /** The MPEG audio is of layer 3, for which FLV has a place. */
  layer3(): void;
}

interface Picture {
  readonly units: readonly Uint8Array[];
  readonly roles: readonly NalRole[];
  readonly isRandomAccess: boolean;
  /** Ticks. */
  readonly decodeAt: number;
  /** Ticks from there until it is shown. */
  readonly shownAfter: number;
}

const ticksPerMs = 90;
const ticksPerSecond = 90_000;
/** What a tag doesn't hold: parameter sets travel in the header, delimiters and filler belong to the byte stream. */
const leftOut: ReadonlySet<NalRole> = new Set(['vps', 'sps', 'pps', 'delimiter', 'filler']);
/** An access unit without a time of its own follows the last one after this, until the distance is known. */
const guessedFrameTicks = 3600;

export class TsToFlv {
  private readonly events: TsToFlvEvents;
  private readonly readSps: SpsReader;
  private readonly unwrap = createUnwrapper(tsClockModulus);
  private streams: TsStreams = {};
  private readonly videoPes = new PesAssembler(
    { packet: (packet) => this.pictures(packet), broken: (isRandomAccess) => this.pictureLost(isRandomAccess) },
    pesLimits.videoBytes,
  );
  private readonly audioPes = new PesAssembler(
    { packet: (packet) => this.sound(packet), broken: () => this.adts.reset() },
    pesLimits.audioBytes,
  );
  private readonly adts = new AdtsReader((frame, beganHere) => this.soundFrame(frame, beganHere));
  private sets = new ParameterSets('h264');
  private needsKeyframe = true;
  private lastDts: number | undefined;
  /** Pictures in the packet with that time. */
  private lastCount = 1;
  private frameTicks = guessedFrameTicks;
  private format: AacFormat | undefined;
  /** Time of the next sound frame, ticks. */
  private soundAt: number | undefined;
  /** Time of the PES packet at hand, until a frame that begins in it has taken it. */
  private soundStamp: number | undefined;
  private facts: StreamFacts = {};

  constructor(events: TsToFlvEvents, readSps: SpsReader) {
    this.events = events;
    this.readSps = readSps;
  }

  /** What the tables say; streams that stay the same go on undisturbed. */
  setStreams(streams: TsStreams): void {
    const before = this.streams;
    this.streams = streams;
    if (before.video?.pid !== streams.video?.pid || before.video?.codec !== streams.video?.codec) {
      this.videoPes.reset();
      this.sets = new ParameterSets(streams.video?.codec ?? 'h264');
      this.needsKeyframe = true;
    }
    if (before.audio?.pid !== streams.audio?.pid) this.resetSound();
  }

  /** What follows didn't come right after what was there: units begun are lost. */
  interrupted(): void {
    this.videoPes.reset();
    this.needsKeyframe = true;
    this.resetSound();
  }

  /** Whole transport packets. */
  write(data: Uint8Array): void {
    const video = this.streams.video?.pid;
    const audio = this.streams.audio?.pid;
    const mpeg = this.streams.mpegAudio?.pid;
    for (let at = 0; at + packetSize <= data.length; at += packetSize) {
      const pid = pidOf(data, at);
      if (pid === video) this.videoPes.push(data, at);
      else if (pid === audio) this.audioPes.push(data, at);
      else if (pid === mpeg && mpegLayer(data, at) === 3) {
        this.events.layer3();
        return;
      }
    }
  }

  private resetSound(): void {
    this.audioPes.reset();
    this.adts.reset();
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
    const isKeyframe = isKey(codec, units, roles, isRandomAccess);
    if (isKeyframe) this.needsKeyframe = false;
    if (this.needsKeyframe || !this.sets.config || !roles.some((role) => role === 'slice' || role === 'keySlice')) {
      return;
    }
    const timestamp = toMs(decodeAt);
    const compositionMs = toMs(decodeAt + shownAfter) - timestamp;
    const payload = videoFrame(codec, { isKeyframe, compositionMs, units: kept });
    this.events.message({ type: messageType.video, timestamp: timestamp >>> 0, payload });
  }

  /** Of the first of so many pictures that share a packet. */
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

  /** A picture is missing: what follows is shown as well as it can be, but without a keyframe it can't. */
  private pictureLost(isRandomAccess: boolean): void {
    if (isRandomAccess) this.needsKeyframe = true;
  }

  private announceVideo(codec: NalCodec, at: number, units: readonly Uint8Array[]): void {
    const { config } = this.sets;
    const sps = units.find((unit) => nalRole(codec, unit[0] ?? 0) === 'sps');
    const format = sps && this.readSps(codec, sps);
    if (!config) return;
    if (format) {
      const { width = 0, height = 0, fps } = format;
      if (fps && this.frameTicks === guessedFrameTicks) this.frameTicks = ticksPerSecond / fps;
      this.tellFacts({ ...this.facts, video: { codec, width, height, ...(fps && { fps }) } });
    }
    const payload = videoHeader(codec, config);
    this.events.message({ type: messageType.video, timestamp: toMs(at) >>> 0, payload });
  }

  private sound({ data, pts }: PesPacket): void {
    this.soundStamp = pts === undefined ? undefined : this.unwrap(pts);
    this.adts.feed(data);
  }

  private soundFrame(frame: AdtsFrame, beganHere: boolean): void {
    if (beganHere && this.soundStamp !== undefined) {
      this.soundAt = this.soundStamp;
      this.soundStamp = undefined;
    }
    const at = this.soundAt;
    if (at === undefined) return;
    this.soundAt = at + (samplesPerFrame * ticksPerSecond) / frame.rate;
    if (!this.format || !sameFormat(this.format, frame)) this.announceAudio(frame, at);
    if (frame.channels === 0) return;
    const payload = audioFrame(frame.data);
    this.events.message({ type: messageType.audio, timestamp: toMs(at) >>> 0, payload });
  }

  private announceAudio({ objectType, rateIndex, rate, channels }: AdtsFrame, at: number): void {
    this.format = { objectType, rateIndex, rate, channels };
    if (channels === 0) {
      this.events.undescribedAudio();
      return;
    }
    this.tellFacts({ ...this.facts, audio: { rate, channels: channels === 7 ? 8 : channels } });
    const payload = audioHeader(aacConfig(this.format));
    this.events.message({ type: messageType.audio, timestamp: toMs(at) >>> 0, payload });
  }

  private tellFacts(facts: StreamFacts): void {
    this.facts = facts;
    this.events.message({ type: messageType.data, timestamp: 0, payload: metadata(facts) });
  }
}

function toMs(ticks: number): number {
  return Math.round(ticks / ticksPerMs);
}

function isKey(
  codec: NalCodec,
  units: readonly Uint8Array[],
  roles: readonly NalRole[],
  isRandomAccess: boolean,
): boolean {
  if (roles.includes('keySlice')) return true;
  if (codec !== 'h264') return false;
  if (isRandomAccess && roles.includes('sps')) return true;
  return units.some((unit, i) => roles[i] === 'sei' && isRecoveryPoint(unit));
}
