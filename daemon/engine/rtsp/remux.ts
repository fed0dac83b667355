/** Remuxes the RTP packets of an RTSP session to a transport stream. */
import { TsMuxer } from '../remux/ts-muxer.ts';
import type { ProgramStreams } from '../remux/ts-tables.ts';
import { DecodeTimes } from './decode-times.ts';
import type { Depacketizer, MediaUnit } from './depacketizer.ts';
import { openDepacketizer } from './depacketizers.ts';
import { MediaClock } from './media-clock.ts';
import { type RtpPacket, readSenderReport, type SenderTime, writeReceiverReport } from './packet.ts';
import { PacketOrder } from './packet-order.ts';
import { Reception } from './reception.ts';
import type { SdpMedia } from './sdp.ts';

interface RtspRemuxOptions {
  /** The media that the session has set up. A transport stream can carry all of them. */
  readonly media: readonly SdpMedia[];
  /** Maximum delay of reordered packets in milliseconds. 0 if the transport preserves order. */
  readonly lateMs: number;
  readonly onBytes: (bytes: Uint8Array) => void;
}

/** A stream begins with its first picture: audio before it is dropped for at most this long. */
const pictureWaitMs = 2000;

interface Track {
  readonly media: SdpMedia;
  readonly order: PacketOrder;
  /** Undefined for a transport stream in RTP. */
  readonly depacketizer: Depacketizer | undefined;
  source: number | undefined;
  /** The source has changed since its last picture or audio frame. */
  isNewSource: boolean;
  report: { readonly time: SenderTime; readonly at: number } | undefined;
}

export class RtspRemux {
  private readonly onBytes: (bytes: Uint8Array) => void;
  private readonly tracks: readonly Track[];
  readonly reception: Reception;
  private readonly clock: MediaClock;
  private readonly muxer = new TsMuxer();
  private readonly decodeTimes = new DecodeTimes();
  private readonly self = Math.floor(Math.random() * 2 ** 32);
  private streams: ProgramStreams = {};
  private lastAudio = 0;
  private hasPicture = false;
  private beganAt: number | undefined;
  private now = 0;

  constructor({ media, lateMs, onBytes }: RtspRemuxOptions) {
    this.onBytes = onBytes;
    const clockRates = media.map(({ clockRate }) => clockRate);
    this.clock = new MediaClock(clockRates);
    this.reception = new Reception(clockRates, lateMs);
    this.tracks = media.map((one, index) => this.open(one, index, lateMs));
    this.muxer.restartClock();
  }

  /** Takes an RTP packet of a track, valid only during the call. `now`: monotonic time in milliseconds. */
  packet(index: number, bytes: Uint8Array, now: number): void {
    this.now = now;
    this.reception.packet(index, bytes, now);
    this.tracks[index]?.order.take(bytes, now);
  }

  /** Takes an RTCP packet of a track. */
  control(index: number, bytes: Uint8Array, now: number): void {
    const time = readSenderReport(bytes);
    const track = this.tracks[index];
    if (!time || !track) return;
    track.report = { time, at: now };
    this.clock.synchronize(index, 'report', time.timestamp, time.seconds);
  }

  /** Takes the timestamp of a track at the start of playback, from the PLAY response. */
  starts(index: number, timestamp: number): void {
    this.clock.synchronize(index, 'info', timestamp, 0);
  }

  /** Returns the receiver report of a track; undefined before its first packet. */
  receiverReport(index: number, now: number): Uint8Array | undefined {
    const figures = this.reception.figures(index);
    const report = this.tracks[index]?.report;
    const lastReport = report?.time.mark ?? 0;
    const sinceReport = report ? (now - report.at) / 1000 : 0;
    return figures && writeReceiverReport(this.self, { ...figures, lastReport, sinceReport });
  }

  private open(media: SdpMedia, index: number, lateMs: number): Track {
    const track: Track = {
      media,
      order: new PacketOrder({ lateMs, onPacket: (packet, isAfterLoss) => this.take(track, packet, isAfterLoss) }),
      depacketizer: openDepacketizer(media, (unit) => this.write(index, track, unit)),
      source: undefined,
      isNewSource: false,
      report: undefined,
    };
    return track;
  }

  private take(
    track: Track,
    { source, payload, payloadType, timestamp, isMarked }: RtpPacket,
    isAfterLoss: boolean,
  ): void {
    const { media, depacketizer } = track;
    if (payloadType !== media.payloadType) return;
    if (source !== track.source) {
      track.isNewSource = track.source !== undefined;
      track.source = source;
    }
    if (!depacketizer) {
      this.onBytes(payload);
      return;
    }
    if (isAfterLoss) depacketizer.lose();
    depacketizer.take(payload, timestamp, isMarked);
  }

  private write(index: number, track: Track, unit: MediaUnit): void {
    const { depacketizer, isNewSource } = track;
    if (!depacketizer) return;
    const { codec, kind } = depacketizer;
    if (this.streams[kind] !== codec) {
      this.streams = { ...this.streams, [kind]: codec };
      this.muxer.setStreams(this.streams);
    }
    track.isNewSource = false;
    const { ticks, isRestart } = this.clock.take(index, unit.timestamp, this.now, isNewSource);
    const at = Math.round(ticks + (unit.delay ?? 0));
    if (kind === 'audio') this.sound(at, unit);
    else {
      if (isRestart) this.decodeTimes.restart();
      this.picture(at, unit, depacketizer.reorderDepth ?? 0);
    }
    const bytes = this.muxer.take();
    if (bytes) this.onBytes(bytes);
  }

  private picture(at: number, { parts, isRandomAccess }: MediaUnit, reorderDepth: number): void {
    this.decodeTimes.declare(reorderDepth);
    this.hasPicture = true;
    const { pts, dts } = this.decodeTimes.take(at);
    this.muxer.prepare({ kind: 'video', dts, isRandomAccess });
    this.muxer.write({ kind: 'video', pts, dts, isRandomAccess, parts });
  }

  private sound(at: number, { parts }: MediaUnit): void {
    this.beganAt ??= this.now;
    const expectsPicture = this.tracks.some(({ depacketizer }) => depacketizer?.kind === 'video');
    if (expectsPicture && !this.hasPicture && this.now - this.beganAt < pictureWaitMs) return;
    // Audio that the alignment of tracks has moved back was already sent.
    if (at <= this.lastAudio) return;
    this.lastAudio = at;
    const isRandomAccess = !this.streams.video;
    this.muxer.prepare({ kind: 'audio', dts: at, isRandomAccess });
    this.muxer.write({ kind: 'audio', pts: at, dts: at, isRandomAccess, parts });
  }
}
