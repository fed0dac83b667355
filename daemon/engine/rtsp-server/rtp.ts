/** Writes RTP packets (RFC 3550). */
import { frameHeaderBytes, writeFrameHeader } from '../rtsp/message.ts';
import { writeSenderReport } from '../rtsp/packet.ts';

const rtpHeaderBytes = 12;
/** Fits through tunnels, too. Includes the header. */
const maxPacketBytes = 1400;
export const maxPayloadBytes = maxPacketBytes - rtpHeaderBytes;

const version = 0x80;
const markerBit = 0x80;

/** Position of one packet in a batch, including its header. */
export interface RtpPacket {
  readonly track: number;
  /** Channel time of its content, in milliseconds. */
  readonly at: number;
  readonly start: number;
  readonly end: number;
}

/** Consecutive packets, each framed for an RTSP connection with channel 2 × track. */
export interface RtpPackets {
  readonly wire: Uint8Array;
  readonly packets: readonly RtpPacket[];
}

interface PacketHead {
  readonly at: number;
  readonly timestamp: number;
  readonly isMarked: boolean;
}

/** The sending side of one track. */
export class RtpSender {
  readonly track: number;
  readonly payloadType: number;
  readonly ssrc: number;
  /** Sequence number of the next packet. */
  sequence: number;
  private readonly firstTime: number;
  private packetCount = 0;
  private payloadBytes = 0;

  /** Numbers start at random values, as required by section 5.1. */
  constructor(track: number, payloadType: number, random: () => number) {
    this.track = track;
    this.payloadType = payloadType;
    this.ssrc = random();
    this.sequence = random() & 0xffff;
    this.firstTime = random();
  }

  /** Returns the RTP timestamp for `ticks` of the track's clock. */
  timestamp(ticks: number): number {
    return (this.firstTime + Math.round(ticks)) >>> 0;
  }

  count(payloadBytes: number): number {
    this.packetCount++;
    this.payloadBytes += payloadBytes;
    const { sequence } = this;
    this.sequence = (sequence + 1) & 0xffff;
    return sequence;
  }

  /** Returns a sender report that relates `timestamp` to `atMs` (milliseconds since 1970). */
  report(atMs: number, timestamp: number, name: string): Buffer {
    const { ssrc: source, packetCount: packets, payloadBytes } = this;
    return writeSenderReport({ source, atMs, timestamp, packets, payloadBytes }, name);
  }
}

/** Collects packets in one block of memory. */
export class RtpBatch {
  private bytes = Buffer.allocUnsafeSlow(64 << 10);
  private used = 0;
  private packets: RtpPacket[] = [];

  /** `at` and `timestamp`: the same moment, in channel time and on the clock of the track. */
  add(sender: RtpSender, { at: moment, timestamp, isMarked }: PacketHead, payload: readonly Uint8Array[]): void {
    const payloadBytes = payload.reduce((sum, { length }) => sum + length, 0);
    const length = rtpHeaderBytes + payloadBytes;
    this.reserve(frameHeaderBytes + length);
    const { bytes } = this;
    const start = this.used + frameHeaderBytes;
    writeFrameHeader(bytes, this.used, sender.track * 2, length);
    bytes[start] = version;
    bytes[start + 1] = (isMarked ? markerBit : 0) | sender.payloadType;
    bytes.writeUInt16BE(sender.count(payloadBytes), start + 2);
    bytes.writeUInt32BE(timestamp, start + 4);
    bytes.writeUInt32BE(sender.ssrc, start + 8);
    let at = start + rtpHeaderBytes;
    for (const part of payload) {
      bytes.set(part, at);
      at += part.length;
    }
    this.packets.push({ track: sender.track, at: moment, start, end: at });
    this.used = at;
  }

  /** Returns the packets collected since the last call; undefined if there are none. */
  take(): RtpPackets | undefined {
    if (this.used === 0) return undefined;
    const { packets } = this;
    const wire = new Uint8Array(this.bytes.subarray(0, this.used));
    this.used = 0;
    this.packets = [];
    return { wire, packets };
  }

  private reserve(more: number): void {
    if (this.used + more <= this.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.bytes.length * 2, this.used + more));
    larger.set(this.bytes.subarray(0, this.used));
    this.bytes = larger;
  }
}
